// Requests of the designer: JSON out, JSON or a problem document back, and what can go wrong.
import { csrfToken } from "../csrf";
import type { Problem } from "./model";

export interface ServerProblem {
  code: string;
  at: string;
  step: string | null;
  level: "error" | "warning";
  args: Record<string, string | number>;
  message: string;
}

/** A problem of the server as one of ours: its position is below `/document` or `/form`. */
export function ofServer(error: ServerProblem): Problem {
  const part = error.at.startsWith("/form") ? "form" : "flow";
  return { ...error, at: error.at.replace(/^\/(document|form)(?=\/|$)/, ""), part };
}

export type Answer =
  | { kind: "done"; body: Record<string, unknown>; version: number | null }
  /** A refusal with its reasons. */
  | {
      kind: "refused";
      status: number;
      code: string;
      text: string;
      errors: ServerProblem[];
      body: Record<string, unknown>;
    }
  | { kind: "offline" }
  | { kind: "signed-out" };

const patience = 30_000; // milliseconds

export interface Sent {
  body?: unknown;
  /** The version that this change is made to (`If-Match`). */
  version?: number;
  /** The same for each attempt of one command (`Idempotency-Key`). */
  key?: string;
  /** Stops waiting for the answer, as a lost connection would. */
  stop?: AbortSignal;
}

function headersFor(sent: Sent): Record<string, string> {
  return {
    Accept: "application/json, application/problem+json",
    "Accept-Language": document.documentElement.lang,
    "X-CSRFToken": csrfToken(),
    ...(sent.body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(sent.version === undefined ? {} : { "If-Match": `"${sent.version}"` }),
    ...(sent.key === undefined ? {} : { "Idempotency-Key": sent.key }),
  };
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function versionOf(response: Response, body: Record<string, unknown>): number | null {
  const tag = /"(\d+)"/.exec(response.headers.get("ETag") ?? "")?.[1];
  const told = tag ?? body["version"];
  const version = Number(told);
  return told === undefined || Number.isNaN(version) ? null : version;
}

/** The list of problems in an answer; empty where there is none. */
export function problemsIn(list: unknown): ServerProblem[] {
  return Array.isArray(list) ? (list as ServerProblem[]) : [];
}

function signalOf({ stop }: Sent): AbortSignal {
  const late = AbortSignal.timeout(patience);
  return stop === undefined ? late : AbortSignal.any([stop, late]);
}

/** One request to our own server; never throws. */
export async function ask(method: string, address: string, sent: Sent = {}): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers: headersFor(sent),
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: signalOf(sent),
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    });
  } catch {
    return { kind: "offline" };
  }
  const body = await bodyOf(response);
  if (response.ok) return { kind: "done", body, version: versionOf(response, body) };
  // A token of the session before is refused too: signing in again brings a new one.
  const code = typeof body["code"] === "string" ? body["code"] : "";
  if (response.status === 401 || code.startsWith("csrf")) return { kind: "signed-out" };
  const errors = problemsIn(body["errors"]);
  const text = typeof body["detail"] === "string" ? body["detail"] : "";
  return { kind: "refused", status: response.status, code, text, errors, body };
}
