// Asking the server for people, roles … by a part of their name, and for the picture of a form.
import { csrfToken } from "../../../csrf";
import type { Named } from "../../knowledge";
import type { Formdoc } from "../../model";
import type { CodeKind } from "./binding";

const search = "/directory/search";
const preview = "/design/form-preview";

function isNamed(value: unknown): value is Named {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Named).code === "string" &&
    typeof (value as Named).name === "string"
  );
}

/** At most twenty; null when there is no answer (offline, signed out, overtaken by the next). */
export async function findNamed(
  kind: CodeKind,
  text: string,
  signal: AbortSignal,
): Promise<readonly Named[] | null> {
  try {
    const query = new URLSearchParams({ kind, text });
    const answer = await fetch(`${search}?${query.toString()}`, {
      headers: { Accept: "application/json" },
      credentials: "same-origin",
      signal,
    });
    const body: unknown = answer.ok ? await answer.json() : null;
    const results = body === null ? null : (body as { results?: unknown }).results;
    return Array.isArray(results) ? results.filter(isNamed) : null;
  } catch {
    return null;
  }
}

/** The form as the server shows it, or the list of what is wrong with it; null without an answer. */
export async function pictureOf(form: Formdoc, signal: AbortSignal): Promise<Document | null> {
  try {
    const answer = await fetch(preview, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      credentials: "same-origin",
      body: JSON.stringify(form),
      signal,
    });
    if (!answer.ok) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return null;
  }
}
