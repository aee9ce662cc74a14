// Parts of a page that load by themselves: one that fails says so in its place, and offers to try
// again; the others stay.
//
//   data-slot             the place; htmx puts the part into it
//   data-slot-failed      what is shown in it when that did not work
function failed(event: Event): void {
  const target = event.target instanceof Element ? event.target : null;
  const words = target?.closest("[data-slot]")?.querySelector<HTMLElement>("[data-slot-failed]");
  if (words) words.hidden = false;
}

export function startSlots(): void {
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(name, failed);
  }
}
