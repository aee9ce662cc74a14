// The tabs of a request's page. The form is always there, only out of sight behind another tab, so
// that nothing typed is lost; what the other tabs show is fetched when one looks.
//
//   <nav data-tabs>     links; htmx loads what they lead to into #tab-view
//   <a data-tab-home>   shows #tab-home again
import htmx from "htmx.org";
import { byId, onClick } from "./dom";

function mark(link: HTMLAnchorElement): void {
  const nav = link.closest("[data-tabs]");
  for (const other of nav?.querySelectorAll("[aria-current]") ?? []) {
    other.removeAttribute("aria-current");
  }
  link.setAttribute("aria-current", "page");
  link.scrollIntoView({ block: "nearest", inline: "nearest" });
  // In place of the address that led here: Back leads to the list, a reload to this tab.
  history.replaceState(history.state, "", link.href);
}

export function startTabs(): void {
  onClick("a[data-tab-home]", (link, event) => {
    const home = byId("tab-home", HTMLElement);
    const nav = link.closest("[data-tabs]");
    if (!home || !nav || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    htmx.trigger(nav, "htmx:abort", {}); // what another tab still waits for
    byId("tab-view", HTMLElement)?.replaceChildren();
    home.hidden = false;
    if (link instanceof HTMLAnchorElement) mark(link);
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    const { target, requestConfig } = (
      event as CustomEvent<{ target: Element; requestConfig: { elt: Element } }>
    ).detail;
    const home = byId("tab-home", HTMLElement);
    if (target.id !== "tab-view" || !home) return;
    home.hidden = true;
    const { elt } = requestConfig;
    if (elt instanceof HTMLAnchorElement && elt.closest("[data-tabs]")) mark(elt);
  });
}
