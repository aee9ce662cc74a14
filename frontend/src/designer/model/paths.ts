// Reading and changing one member deep inside a value, without touching the rest of it.

export type Path = readonly (string | number)[];

/** Whether a value is an object with members of its own, no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a list. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** One member of an object or element of a list; undefined for what is not there. */
export function memberOf(value: unknown, part: string | number): unknown {
  if (isList(value)) {
    const index = typeof part === "number" ? part : /^(0|[1-9]\d*)$/.test(part) ? Number(part) : -1;
    return value[index];
  }
  return isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

/** What lies at a path; undefined when the way ends before. */
export function getIn(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((here, part) => memberOf(here, part), value);
}

/**
 * The same value with another one at a path; `undefined` takes the member or element away.
 *
 * Members that are missing on the way are made: a list where the next part is a number, else an
 * object. What does not lie on the way is shared with the old value, and a change that changes
 * nothing gives the very same value back.
 */
export function setIn<T>(value: T, path: Path, given: unknown): T {
  return put(value, path, given) as T;
}

function put(value: unknown, path: Path, given: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return given;
  const before = memberOf(value, part);
  if (before === undefined && given === undefined) return value;
  const after = rest.length === 0 ? given : put(before, rest, given);
  if (Object.is(before, after)) return value;
  if (isList(value) || (!isRecord(value) && typeof part === "number")) {
    return inList(isList(value) ? value : [], Number(part), after);
  }
  return inRecord(isRecord(value) ? value : {}, String(part), after);
}

function inList(list: readonly unknown[], index: number, given: unknown): unknown[] {
  if (given === undefined) return list.filter((_, at) => at !== index);
  const copy = [...list];
  // Beyond the end means "one more": a hole could not be written as JSON.
  copy[Math.min(Math.max(index, 0), copy.length)] = given;
  return copy;
}

function inRecord(
  record: Readonly<Record<string, unknown>>,
  name: string,
  given: unknown,
): Record<string, unknown> {
  if (given === undefined) {
    return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
  }
  // Not a spread alone: a member called __proto__ has to stay a member.
  return Object.fromEntries(
    Object.hasOwn(record, name)
      ? Object.entries(record).map(([key, old]) => [key, key === name ? given : old])
      : [...Object.entries(record), [name, given]],
  );
}

/** The JSON Pointer (RFC 6901) of a path. */
export function pointerOf(path: Path): string {
  return path.map((part) => child("", part)).join("");
}

/** The JSON Pointer of a member or element of the value at `at`. */
export function child(at: string, part: string | number): string {
  if (typeof part === "number" || !/[~/]/.test(part)) return `${at}/${part}`;
  return `${at}/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The path of a JSON Pointer; a part of digits counts as the number of an element. */
export function pathOf(pointer: string): Path {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^(0|[1-9]\d*)$/.test(part) ? Number(part) : part));
}

/** Whether two JSON values say the same; the order of members says nothing. */
export function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (isList(one) && isList(other)) {
    return one.length === other.length && one.every((item, at) => same(item, other[at]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && same(one[name], other[name]))
  );
}
