// Times in the tenant's zone (data-zone of <body>, as the server writes and reads them) and in the
// reader's language, from <time datetime>.
//
//   data-relative   "3 minutes ago", kept fresh; the exact time as tooltip
//   data-local      the exact date and time
// Without scripts the text that the server wrote stays.
import { each } from "./dom";

const language = document.documentElement.lang || "en";
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const timeZone = document.body.dataset["zone"] || undefined;
const exact = new Intl.DateTimeFormat(language, {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone,
});
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone });

// From coarse to fine: the unit, its length in seconds. Beyond 30 days the date itself says more.
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export function relativeText(then: Date, now: Date): string {
  const seconds = Math.round((then.getTime() - now.getTime()) / 1000);
  if (Math.abs(seconds) >= 30 * 86_400) return day.format(then);
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(0, "second");
}

export function refreshTimes(root: ParentNode): void {
  const now = new Date();
  each<HTMLTimeElement>(root, "time[data-relative], time[data-local]", (element) => {
    const then = new Date(element.dateTime);
    if (Number.isNaN(then.getTime())) return;
    const full = exact.format(then);
    const text = "relative" in element.dataset ? relativeText(then, now) : full;
    if (element.textContent !== text) element.textContent = text;
    if (element.title !== full) element.title = full;
  });
}

/** Fires `flow:tick` on <body> every 30 s, only while somebody looks at the page. */
export function startTicking(): void {
  setInterval(() => {
    if (document.visibilityState !== "visible") return;
    refreshTimes(document);
    document.body.dispatchEvent(new CustomEvent("flow:tick", { bubbles: true }));
  }, 30_000);
}
