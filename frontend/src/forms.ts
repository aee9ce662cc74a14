// What forms do beyond HTML: sent once, guarded while unsaved, recovered after a reload.
//
//   every POST form          its buttons are disabled and the pressed one spins until the answer
//   data-guard               leaving with unsaved input asks first
//   data-recover="key"       input is kept in this tab (sessionStorage) and offered after a reload.
//                            The key names the thing edited and its version, so that the empty
//                            form after a success never gets the old input back.
//   data-sign-out            forgets everything kept, and is never guarded
//   data-toggle-password     shows or hides the password field named by aria-controls
//   data-fill-login="ann"    fills the sign-in form with a demo account
import { byId, each, onClick } from "./dom";
import { restoreRows } from "./rows";

type Kept = { sent: boolean; fields: [name: string, value: string][] };

const prefix = "flowadmin:recover:";
const skipped = new Set(["password", "file", "submit", "button", "hidden", "image", "reset"]);
const clean = new WeakMap<HTMLFormElement, string>();

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function controls(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element): element is Control =>
      (element instanceof HTMLInputElement && !skipped.has(element.type)) ||
      element instanceof HTMLSelectElement ||
      element instanceof HTMLTextAreaElement,
  );
}

function valuesOf(form: HTMLFormElement): [string, string][] {
  const values: [string, string][] = [];
  for (const control of controls(form)) {
    if (!control.name) continue;
    if (control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type)) {
      if (control.checked) values.push([control.name, control.value]);
    } else if (control instanceof HTMLSelectElement && control.multiple) {
      for (const option of control.selectedOptions) values.push([control.name, option.value]);
    } else {
      values.push([control.name, control.value]);
    }
  }
  return values;
}

const print = (form: HTMLFormElement): string => JSON.stringify(valuesOf(form));

function fill(form: HTMLFormElement, fields: [string, string][]): void {
  restoreRows(form, fields);
  const wanted = new Map<string, string[]>();
  for (const [name, value] of fields) wanted.set(name, [...(wanted.get(name) ?? []), value]);
  for (const control of controls(form)) {
    const values = wanted.get(control.name) ?? [];
    if (control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type)) {
      control.checked = values.includes(control.value);
    } else if (control instanceof HTMLSelectElement && control.multiple) {
      for (const option of control.options) option.selected = values.includes(option.value);
    } else if (values.length > 0) {
      control.value = values.shift() ?? "";
    }
    control.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

// Kept input ---------------------------------------------------------------------------------

function owner(): string {
  return document.body.dataset["user"] ?? "";
}

function storageKey(form: HTMLFormElement): string {
  return `${prefix}${owner()}:${form.dataset["recover"] ?? ""}`;
}

function keep(form: HTMLFormElement, sent: boolean): void {
  const kept: Kept = { sent, fields: valuesOf(form) };
  try {
    sessionStorage.setItem(storageKey(form), JSON.stringify(kept));
  } catch {
    // Full or forbidden storage: the form works on, it is only not recoverable.
  }
}

function keptFor(key: string): Kept | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return kept !== null && typeof kept === "object" && "fields" in kept ? (kept as Kept) : null;
  } catch {
    return null;
  }
}

function keptKeys(): string[] {
  return Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
}

/** Forgets what was sent and accepted, and what another person typed in this tab before. */
function forgetDone(): void {
  if (!owner()) return;
  const mine = `${prefix}${owner()}:`;
  const here = new Set(
    [...document.querySelectorAll<HTMLFormElement>("form[data-recover]")].map(storageKey),
  );
  for (const key of keptKeys()) {
    if (!key.startsWith(mine) || (keptFor(key)?.sent && !here.has(key))) {
      sessionStorage.removeItem(key);
    }
  }
}

function offerRecovery(form: HTMLFormElement): void {
  const key = storageKey(form);
  const kept = keptFor(key);
  const offer = form.querySelector<HTMLElement>("[data-recover-offer]");
  if (!kept || !offer || JSON.stringify(kept.fields) === print(form)) return;
  offer.hidden = false;
  offer.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!button) return;
    if ("recoverRestore" in button.dataset) fill(form, kept.fields);
    else sessionStorage.removeItem(key);
    offer.hidden = true;
    controls(form)[0]?.focus();
  });
}

export function armForms(root: ParentNode): void {
  each<HTMLFormElement>(root, "form[data-guard]", (form) => {
    if (!clean.has(form)) clean.set(form, print(form));
  });
  each<HTMLFormElement>(root, "form[data-recover]", offerRecovery);
}

// Sending ------------------------------------------------------------------------------------

function buttonsOf(form: HTMLFormElement): HTMLButtonElement[] {
  return [...form.elements].filter(
    (element): element is HTMLButtonElement =>
      element instanceof HTMLButtonElement && element.type === "submit",
  );
}

/** Marks a form as under way; the name and value of the pressed button still travel. */
export function busy(form: HTMLFormElement, pressed: HTMLElement | null): void {
  form.dataset["busy"] = "";
  setTimeout(() => {
    if (!("busy" in form.dataset)) return;
    for (const button of buttonsOf(form)) {
      if (button.disabled) continue;
      button.disabled = true;
      button.dataset["wasEnabled"] = "";
    }
    pressed?.classList.add("btn-loading");
  });
}

export function ready(form: HTMLFormElement): void {
  delete form.dataset["busy"];
  for (const button of buttonsOf(form)) {
    button.classList.remove("btn-loading");
    if ("wasEnabled" in button.dataset) button.disabled = false;
    delete button.dataset["wasEnabled"];
  }
}

/** What htmx sent was accepted: nothing of this form is unsaved any more. */
export function accepted(form: HTMLFormElement): void {
  if (clean.has(form)) clean.set(form, print(form));
  if (form.dataset["recover"] !== undefined) sessionStorage.removeItem(storageKey(form));
}

function submitted(event: SubmitEvent): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  // htmx has begun its request by now and marks and releases the form itself (requests.ts).
  const byHtmx = event.defaultPrevented;
  if ("busy" in form.dataset && !byHtmx) {
    event.preventDefault();
    return;
  }
  if (form.hasAttribute("data-sign-out")) {
    for (const key of keptKeys()) sessionStorage.removeItem(key);
  } else if (form.dataset["recover"] !== undefined) {
    keep(form, true);
  }
  if (byHtmx) return;
  clean.delete(form);
  busy(form, event.submitter);
}

function leaving(event: BeforeUnloadEvent): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-guard]")) {
    const before = clean.get(form);
    if (before !== undefined && before !== print(form)) {
      event.preventDefault();
      return;
    }
  }
}

function fillLogin(button: HTMLElement): void {
  const login = document.querySelector<HTMLInputElement>("input[autocomplete=username]");
  const password = document.querySelector<HTMLInputElement>("input[autocomplete=current-password]");
  if (!login || !password) return;
  login.value = button.dataset["fillLogin"] ?? "";
  const known = button.dataset["fillPassword"];
  if (known) password.value = known;
  password.focus();
}

function togglePassword(button: HTMLElement): void {
  const field = document.getElementById(button.getAttribute("aria-controls") ?? "");
  if (!(field instanceof HTMLInputElement)) return;
  const show = field.type === "password";
  field.type = show ? "text" : "password";
  button.setAttribute("aria-pressed", String(show));
  field.focus();
}

/** `<button data-fill="id" value="…">` puts its value into a field, behind what stands there. */
function fillAgain(button: HTMLElement): void {
  const field = byId(button.dataset["fill"] ?? "", HTMLTextAreaElement);
  if (!(button instanceof HTMLButtonElement) || !field) return;
  field.value = field.value ? `${field.value}\n${button.value}` : button.value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
}

export function startForms(): void {
  forgetDone();
  document.addEventListener("submit", submitted);
  document.addEventListener("input", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form") : null;
    if (form?.dataset["recover"] !== undefined) keep(form, false);
  });
  addEventListener("beforeunload", leaving);
  // A page that comes back from the browser's cache must not keep its buttons disabled.
  addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of document.forms) ready(form);
  });
  onClick("[data-fill-login]", fillLogin);
  onClick("[data-fill]", fillAgain);
  onClick("[data-toggle-password]", togglePassword);
}
