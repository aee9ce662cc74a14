// Everything around htmx requests: CSRF header, what is swapped, busy marks, failures in words.
import htmx from "htmx.org";
import { csrfToken } from "./csrf";
import { openDialog } from "./dialogs";
import { byId, onClick } from "./dom";
import { accepted, busy, ready } from "./forms";
import { toast } from "./toasts";

type HtmxConfig = {
  formData: FormData;
  headers: Record<string, string>;
  triggeringEvent?: Event;
  verb: string;
};

type HtmxDetail = {
  elt: HTMLElement;
  target: HTMLElement;
  xhr: XMLHttpRequest;
  requestConfig: { elt: HTMLElement; triggeringEvent?: Event };
};

const detailOf = (event: Event): HtmxDetail => (event as CustomEvent<HtmxDetail>).detail;

htmx.config.allowEval = false;
htmx.config.allowScriptTags = false;
htmx.config.includeIndicatorStyles = false;
htmx.config.selfRequestsOnly = true;
// Not `style`: a field that somebody made larger has one, and copying it breaks our policy.
htmx.config.attributesToSettle = ["class"];
// Pages are never kept in the browser's storage, where the next person could find them.
htmx.config.historyCacheSize = 0;
htmx.config.refreshOnHistoryMiss = true;
// Conflicts and form errors carry a fragment for the place that asked. Other refusals go to the
// problem region, so that what was on the page stays. 401 and 5xx are handled below.
htmx.config.responseHandling = [
  { code: "204|304", swap: false },
  { code: "[23]..", swap: true },
  { code: "409|412|422", swap: true, error: false },
  { code: "401", swap: false, error: true },
  { code: "4..", swap: true, error: false, target: "#problem-region", swapOverride: "innerHTML" },
  { code: "...", swap: false, error: true },
];

let running = 0;
let unanswered: HtmxDetail["requestConfig"] | null = null;

function count(step: number): void {
  running = Math.max(0, running + step);
  document.body.classList.toggle("is-loading", running > 0);
}

function offline(is: boolean): void {
  const bar = byId("offline-bar", HTMLElement);
  if (bar) bar.hidden = !is;
}

function formOf(element: HTMLElement): HTMLFormElement | null {
  return element instanceof HTMLFormElement ? element : null;
}

/** The token, and the button that was pressed: htmx knows only the one that has the focus. */
function prepare(event: Event): void {
  const { formData, headers, triggeringEvent, verb } = (event as CustomEvent<HtmxConfig>).detail;
  if (verb.toLowerCase() !== "get") {
    headers["X-CSRFToken"] = csrfToken();
    // A fragment that follows a form sends its fields along; the page's token may be outdated.
    if (formData.has("csrfmiddlewaretoken")) formData.set("csrfmiddlewaretoken", csrfToken());
  }
  const pressed = triggeringEvent instanceof SubmitEvent ? triggeringEvent.submitter : null;
  if (pressed instanceof HTMLButtonElement && pressed.name) {
    formData.set(pressed.name, pressed.value);
  }
}

/** What nobody pressed for, such as a preview: when it fails, nobody is told and nothing is repeated. */
function inBackground(element: Element): boolean {
  return element.matches("[data-background]");
}

/** A second press while the first is under way: htmx would queue it and send it without its button. */
function drop(event: Event): void {
  const { elt } = detailOf(event);
  const form = formOf(elt);
  if (inBackground(elt) && unanswered) event.preventDefault();
  if (form && "busy" in form.dataset) event.preventDefault();
}

function begin(event: Event): void {
  const { elt, target, requestConfig } = detailOf(event);
  const form = formOf(elt);
  const trigger = requestConfig.triggeringEvent;
  if (form) busy(form, trigger instanceof SubmitEvent ? trigger.submitter : null);
  target.setAttribute("aria-busy", "true");
  if (trigger?.type !== "flow:tick") count(1);
}

function end(event: Event): void {
  const { elt, target, requestConfig } = detailOf(event);
  const form = formOf(elt);
  if (form) ready(form);
  target.removeAttribute("aria-busy");
  if (requestConfig.triggeringEvent?.type !== "flow:tick") count(-1);
}

function failed(event: Event): void {
  const { elt, xhr, requestConfig } = detailOf(event);
  if (inBackground(elt)) return;
  if (xhr.status === 401) {
    unanswered = requestConfig;
    openDialog("session-ended");
    return;
  }
  const words = byId("failure-text", HTMLTemplateElement)?.content.textContent.trim();
  const id = xhr.getResponseHeader("X-Request-Id");
  if (words) toast(id ? `${words} (${id})` : words, "danger");
}

function answered(event: Event): void {
  const { elt, xhr } = detailOf(event);
  offline(false);
  // Before the answer's HX-Redirect leaves the page: what was accepted is not unsaved input.
  const form = formOf(elt);
  if (form && xhr.status >= 200 && xhr.status < 400) accepted(form);
  if (xhr.status < 400) byId("problem-region", HTMLElement)?.replaceChildren();
}

/** After signing in again in another tab: the same request once more; the form never left. */
function resume(): void {
  const request = unanswered;
  unanswered = null;
  if (!request) return;
  if (request.elt instanceof HTMLFormElement) {
    // With the button that was pressed: its value says what to do.
    const trigger = request.triggeringEvent;
    const pressed = trigger instanceof SubmitEvent ? trigger.submitter : null;
    request.elt.requestSubmit(pressed?.isConnected ? pressed : null);
  } else htmx.trigger(request.elt, request.triggeringEvent?.type ?? "click", {});
}

function renewToken(event: SubmitEvent): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  const field = form.elements.namedItem("csrfmiddlewaretoken");
  if (field instanceof HTMLInputElement) field.value = csrfToken() || field.value;
}

export function startRequests(): void {
  document.addEventListener("htmx:configRequest", prepare);
  document.addEventListener("htmx:confirm", drop);
  document.addEventListener("htmx:beforeRequest", begin);
  document.addEventListener("htmx:afterRequest", end);
  document.addEventListener("htmx:responseError", failed);
  document.addEventListener("htmx:beforeOnLoad", answered);
  document.addEventListener("htmx:sendError", () => offline(true));
  document.addEventListener("htmx:timeout", () => offline(true));
  addEventListener("offline", () => offline(true));
  addEventListener("online", () => offline(false));
  // In the capture phase, before htmx reads the form: a page opened before signing in again holds
  // an outdated token, and Django believes the field before the header.
  document.addEventListener("submit", renewToken, { capture: true });
  onClick("[data-resume-request]", (button) => {
    button.closest("dialog")?.close();
    resume();
  });
}
