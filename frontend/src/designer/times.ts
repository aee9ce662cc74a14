// Times in the tenant's zone (data-zone of <body>, as the server writes and reads them) and in the
// language of the page; and what an input for a moment shows and gives back in that zone.

function zone(): string | undefined {
  return document.body.dataset["zone"] || undefined;
}

function written(time: Date, style: Intl.DateTimeFormatOptions): string {
  if (Number.isNaN(time.getTime())) return "";
  const { lang } = document.documentElement;
  return new Intl.DateTimeFormat(lang || "en", { ...style, timeZone: zone() }).format(time);
}

/** The day and the time. Empty for what is no moment. */
export function exactText(time: Date): string {
  return written(time, { dateStyle: "medium", timeStyle: "short" });
}

/** The time of the day alone. */
export function clockText(time: Date): string {
  return written(time, { hour: "2-digit", minute: "2-digit" });
}

/** What a clock in the zone shows at this moment, in milliseconds as if that clock ran in UTC. */
function wall(time: number): number {
  const parts = new Intl.DateTimeFormat("en", {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
    timeZone: zone(),
  }).formatToParts(time);
  const of = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
}

/** A moment as an `<input type=datetime-local>` shows it; empty for what is no moment. */
export function momentToInput(moment: string): string {
  const time = Date.parse(moment);
  return Number.isNaN(time) ? "" : new Date(wall(time)).toISOString().slice(0, 16);
}

/** The moment of such an input, in UTC; null when it is not filled in. */
export function momentOfInput(text: string): string | null {
  const shown = Date.parse(`${text}Z`);
  if (Number.isNaN(shown)) return null;
  // The offset at the moment itself may differ from the one at the first guess: twice is enough,
  // and an hour that the change of clocks leaves out becomes the one after it or before it.
  let time = shown;
  for (let turn = 0; turn < 2; turn += 1) time += shown - wall(time);
  return new Date(time).toISOString().replace(".000Z", "Z");
}
