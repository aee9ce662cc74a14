// Counts down on a button that is switched off for a while, and switches it on again.
//
//   <button disabled data-countdown="480">Urge <span data-countdown-left>08:00</span></button>
//
// The seconds come from the server: the reader's own clock may be wrong, its pace is not.
import { each } from "./dom";

/** Minutes and seconds, each with two digits. */
export function clockText(seconds: number): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}

export function armCountdowns(root: ParentNode): void {
  each<HTMLButtonElement>(root, "button[data-countdown]", (button) => {
    const end = Date.now() + Number(button.dataset["countdown"]) * 1000;
    const left = button.querySelector("[data-countdown-left]");
    delete button.dataset["countdown"];
    const tick = (): void => {
      const seconds = Math.ceil((end - Date.now()) / 1000);
      if (seconds > 0) {
        if (left !== null) left.textContent = clockText(seconds);
        if (button.isConnected) setTimeout(tick, 1000);
        return;
      }
      left?.remove();
      button.disabled = false;
    };
    tick();
  });
}
