// Steps that nobody decides: calls, subflows, rules, changes of the form (`automatic.py`).
import type { Found } from "../tree";
import type { Assignment, FieldType, HttpStep, SavedType } from "../types";
import { isList, isRecord } from "../paths";
import { MOMENTS, templateFaults } from "./fields";
import { below, error, type Finding, printable, warning } from "./finding";
import type { Look } from "./look";
import { readValue, secondsOf } from "./values";

const LONGEST_CALL = 60;
const SECRET_HEADERS = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "x-api-key",
  "x-auth-token",
]);
// Which answers fit into which fields.
const SAVED: Readonly<Record<SavedType, readonly FieldType[]>> = {
  text: ["text", "long_text", "choice"],
  number: ["number"],
  integer: ["integer", "number", "amount"],
  amount: ["amount"],
  date: ["date"],
  bool: ["bool"],
};
const NOW: ReadonlySet<FieldType> = new Set([...MOMENTS, "time", "text"]);

export function* checkAutomatic(look: Look): Generator<Finding> {
  for (const found of look.steps) {
    const { step, at } = found;
    switch (step.kind) {
      case "http":
        yield* http(step, found, look);
        break;
      case "subflow":
        if (step.flow === look.flow.key) {
          yield error("subflow.recursive", below(at, "flow"), step.id, { flow: step.flow });
        }
        yield* outputs(step.output ?? {}, found, below(at, "output"), look);
        break;
      case "rule":
        yield* outputs(step.save ?? {}, found, below(at, "save"), look);
        break;
      case "notice":
        if ((step.text ?? "").trim() === "") {
          yield warning("notice.no_text", below(at, "text"), step.id);
        }
        break;
      case "set":
        for (const [number, change] of step.changes.entries()) {
          yield* assignment(change, found, below(at, "changes", number), look);
        }
        break;
      default:
    }
  }
}

function* http(step: HttpStep, found: Found, look: Look): Generator<Finding> {
  const { at } = found;
  yield* address(step.url, step.id, below(at, "url"));
  const plain = Object.entries(step.headers ?? {}).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  for (const [name] of plain) {
    if (SECRET_HEADERS.has(name.toLowerCase())) {
      yield error("http.inline_secret", below(at, "headers", name), step.id);
    }
  }
  yield* placeholders(step.url, step.id, below(at, "url"), look);
  for (const [name, value] of plain) {
    yield* placeholders(value, step.id, below(at, "headers", name), look);
  }
  yield* placeholders(step.body ?? "", step.id, below(at, "body"), look);
  if (step.timeout !== undefined && (secondsOf(step.timeout) ?? 0) > LONGEST_CALL) {
    yield error("http.timeout_range", below(at, "timeout"), step.id, { high: LONGEST_CALL });
  }
  for (const [number, saved] of (step.save ?? []).entries()) {
    if (!("field" in saved.to)) continue;
    const { field } = saved.to;
    const type = look.typeOf(field);
    if (type === undefined || SAVED[saved.type].includes(type)) continue;
    const args = { field: printable(field), type };
    yield error("form.type_mismatch", below(at, "save", number, "to", "field"), step.id, args);
  }
}

/** Those that nobody fills in; a body is often JSON, whose braces are its own. */
function* placeholders(text: string, step: string, at: string, look: Look): Generator<Finding> {
  for (const [name] of text.matchAll(/\{[a-z_]+(?:\.[a-z0-9_.]+)\}/g)) {
    if (/^\{var\.[a-z][a-z0-9_]{0,47}\}$/.test(name)) continue;
    if ([...templateFaults(name, look, null, "")].length === 0) continue;
    yield error("http.body_template", at, step, { placeholder: printable(name) });
  }
}

/** What the text alone tells; the server looks at the real address again. */
function* address(url: string, step: string, at: string): Generator<Finding> {
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/.exec(url);
  const host = found?.[2] ?? "";
  if (found?.[1]?.toLowerCase() !== "https") {
    yield error("http.scheme", at, step);
    return;
  }
  for (const [name] of host.matchAll(/\{[^{}]*\}/g)) {
    // A value would say whom the request, and the secrets in it, go to.
    yield error("http.body_template", at, step, { placeholder: printable(name) });
  }
  if (host.includes("@")) yield error("http.inline_secret", at, step);
  const bare = host.slice(host.lastIndexOf("@") + 1);
  if (isPrivate(bare)) yield error("http.private_host", at, step, { host: printable(bare) });
}

// Networks that no public host is in; the full list, with those of IPv6, is the server's.
const PRIVATE = /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168)\./;

function isPrivate(host: string): boolean {
  const name = (host.split(":").length === 2 ? (host.split(":")[0] ?? "") : host)
    .toLowerCase()
    .replace(/\.+$/, "");
  if (name === "" || name === "localhost" || name.endsWith(".localhost")) return true;
  return (/^\d+\.\d+\.\d+\.\d+$/.test(name) && PRIVATE.test(name)) || name.startsWith("[::1]");
}

function* outputs(
  output: Readonly<Record<string, string>>,
  found: Found,
  at: string,
  look: Look,
): Generator<Finding> {
  for (const name of Object.keys(output)) {
    yield* look.fieldFaults(name, below(at, name), found.step.id);
  }
}

function* assignment(change: Assignment, found: Found, at: string, look: Look): Generator<Finding> {
  const step = found.step.id;
  const type = look.typeOf(change.field);
  if (type === undefined) {
    yield* look.fieldFaults(change.field, below(at, "field"), step);
    return;
  }
  const args = { field: change.field, type };
  // An absent value is null here: it empties the field.
  const to: unknown = change.to;
  if (!isRecord(to)) {
    const wrong = to !== undefined && readValue(type, isList(to) ? [...to] : to) === undefined;
    if (wrong) yield error("form.type_mismatch", below(at, "to"), step, args);
  } else if (to["now"] === true && !NOW.has(type)) {
    yield error("form.type_mismatch", below(at, "to", "now"), step, args);
  } else if (typeof to["copy"] === "string") {
    yield* look.fieldFaults(to["copy"], below(at, "to", "copy"), step, new Set([type]));
  }
}
