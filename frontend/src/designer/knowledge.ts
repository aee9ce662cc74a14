// What the server tells the designer about the tenant: names to choose from and to show. It is as
// old as the page; what is saved and published is checked by the server against today's directory.
import type { Knowledge } from "./model";

/** One thing with a code that documents name and a name that people read. */
export interface Named {
  code: string;
  name: string;
  /** A second line for a picker: department, login name. */
  note?: string;
}

export interface RuleNamed extends Named {
  versions?: number[];
}

export interface FlowNamed extends Named {
  version?: number;
  /** The fields of its form: what can be handed in and taken out; the note is the type. */
  fields?: Named[];
}

export interface Known {
  /** The people whom the document names already; a picker adds whom it finds. */
  users: Named[];
  roles: Named[];
  groups: Named[];
  posts: Named[];
  departments: Named[];
  flows: FlowNamed[];
  targets: Named[];
  calendars: Named[];
  secrets: Named[];
  retries: Named[];
  rules: RuleNamed[];
}

export const nothingKnown: Known = {
  users: [],
  roles: [],
  groups: [],
  posts: [],
  departments: [],
  flows: [],
  targets: [],
  calendars: [],
  secrets: [],
  retries: [],
  rules: [],
};

/** The kinds of people that a `by` of the same word names by code. */
export type Directory = "users" | "roles" | "groups" | "posts" | "departments";

/** The name of a code, or the code itself when nobody of that code is known. */
export function nameOf(known: readonly Named[], code: string): string {
  return known.find((one) => one.code === code)?.name ?? code;
}

/** What the model's validation wants: the codes alone. */
export function codesOf(known: Known): Knowledge {
  const codes = (list: readonly Named[]): string[] => list.map((one) => one.code);
  return {
    roles: codes(known.roles),
    groups: codes(known.groups),
    posts: codes(known.posts),
    departments: codes(known.departments),
    flows: codes(known.flows),
    targets: codes(known.targets),
    calendars: codes(known.calendars),
    secrets: codes(known.secrets),
    retries: codes(known.retries),
    // Rules are not listed everywhere; an empty list means "not known", not "none".
    ...(known.rules.length > 0 ? { rules: codes(known.rules) } : {}),
    users: codes(known.users),
  };
}
