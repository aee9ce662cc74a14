// The few DOM shorthands that the behaviours share.

/** Runs `arm` on each element below `root` (and on `root` itself) that matches, now and after each swap. */
export function each<T extends Element>(
  root: ParentNode,
  selector: string,
  arm: (element: T) => void,
): void {
  if (root instanceof Element && root.matches(selector)) arm(root as T);
  for (const element of root.querySelectorAll<T>(selector)) arm(element);
}

/** The element with this id, when it is there and of the wanted class. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T | null {
  const element = document.getElementById(id);
  return element instanceof type ? element : null;
}

/** Calls `handle` for clicks on (or inside) elements that match, also on ones swapped in later. */
export function onClick(
  selector: string,
  handle: (element: HTMLElement, event: MouseEvent) => void,
): void {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest(selector) : null;
    if (target instanceof HTMLElement) handle(target, event);
  });
}

/** Whether keys typed at this element are text and must never be taken as a shortcut. */
export function isEditable(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest(
        "input:not([type=checkbox]), textarea, select, [role=textbox], [role=combobox]",
      ) !== null)
  );
}
