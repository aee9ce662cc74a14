// Short messages in the toast region (role=status), from `HX-Trigger: {"flow:toast": …}` answers.
import { byId } from "./dom";

const shown = 8_000; // milliseconds; one with the pointer or the focus on it stays
const tones = ["success", "info", "warning", "danger"];

export function toast(message: string, tone = "success"): void {
  const region = byId("toasts", HTMLElement);
  const template = byId("toast-template", HTMLTemplateElement);
  const box = template?.content.firstElementChild?.cloneNode(true);
  if (!region || !(box instanceof HTMLElement)) return;
  box.dataset["tone"] = tones.includes(tone) ? tone : "info";
  const text = box.querySelector("[data-toast-text]");
  if (text) text.textContent = message;
  region.append(box);
  const leave = (): void => {
    if (box.matches(":hover, :focus-within")) setTimeout(leave, shown);
    else box.remove();
  };
  setTimeout(leave, shown);
}

export function startToasts(): void {
  document.addEventListener("flow:toast", (event) => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : null;
    if (typeof detail !== "object" || detail === null) return;
    const { message, tone, value } = detail as Record<string, unknown>;
    const words = message ?? value;
    if (typeof words === "string") toast(words, typeof tone === "string" ? tone : "success");
  });
}
