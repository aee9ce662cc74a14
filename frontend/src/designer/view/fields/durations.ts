// Lengths of time between what a document holds (ISO-8601) and what people type and read.
import { plural } from "../../texts";

const parts =
  /^P(?=[0-9T])(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 86_400;
/** The longest deadline in minutes (seed requirements, P8). */
export const LONGEST_MINUTES = 525_600;

/** Seconds of a duration such as `PT24H`; null when the text is none. */
export function secondsOf(text: unknown): number | null {
  const found = typeof text === "string" ? parts.exec(text) : null;
  if (!found) return null;
  const [days, hours, minutes, seconds] = found.slice(1).map((part) => Number(part || 0));
  return (days ?? 0) * DAY + (hours ?? 0) * HOUR + (minutes ?? 0) * MINUTE + (seconds ?? 0);
}

/** The one way in which a length of time is written: hours, minutes and seconds, without zeros. */
export function durationOf(seconds: number): string {
  const [hours, rest] = [Math.floor(seconds / HOUR), seconds % HOUR];
  const pieces: [number, string][] = [
    [hours, "H"],
    [Math.floor(rest / MINUTE), "M"],
    [rest % MINUTE, "S"],
  ];
  const text = pieces.map(([number, letter]) => (number ? `${number}${letter}` : "")).join("");
  return `PT${text || "0S"}`;
}

/** "2 days 3 h": the same length for people; empty for nothing. */
export function durationWords(seconds: number): string {
  const days = Math.floor(seconds / DAY);
  const hours = Math.floor((seconds % DAY) / HOUR);
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  const left = seconds % MINUTE;
  return [
    days ? plural(days, "p.time.day", "p.time.days") : "",
    hours ? plural(hours, "p.time.hour", "p.time.hours") : "",
    minutes ? plural(minutes, "p.time.minute", "p.time.minutes") : "",
    left ? plural(left, "p.time.second", "p.time.seconds") : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** What stands in an input of minutes for what the document holds. */
export function minutesShown(value: unknown): string {
  const seconds = secondsOf(value);
  if (seconds !== null) return seconds % MINUTE === 0 ? String(seconds / MINUTE) : String(value);
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

/**
 * What the document holds for typed minutes: a duration; 0 and blank as they are, which both mean
 * off; anything else as it was typed, so that the problem is shown and nothing is lost.
 */
export function minutesTyped(text: string): string | number {
  const plain = text.trim();
  if (/^\d{1,9}$/.test(plain)) return Number(plain) === 0 ? 0 : durationOf(Number(plain) * MINUTE);
  return plain;
}
