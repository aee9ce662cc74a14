// Files of a form: each chosen one is sent at once, and its id goes along with the form.
//
//   data-files="name"    the list; its hidden inputs `name` hold the ids
//   data-address         where files are sent to; the answer is {id, name, …}
//   data-most            how many there can be; data-mebibytes how large one can be
//   data-file-choose     the <input type=file>, which has no name: bytes never travel with the form
//   data-file-remove     takes its file off the list
import { onClick } from "./dom";
import { csrfToken } from "./csrf";

type Uploaded = { id: string; name: string };

const listOf = (element: Element): HTMLElement | null =>
  element.closest<HTMLElement>("[data-files]");

function say(list: HTMLElement, text: string | undefined): void {
  const status = list.querySelector("[data-files-status]");
  if (status) status.textContent = text ?? "";
}

const isUploaded = (answer: unknown): answer is Uploaded =>
  typeof answer === "object" &&
  answer !== null &&
  "id" in answer &&
  typeof answer.id === "string" &&
  "name" in answer &&
  typeof answer.name === "string";

/** What the server said about a refusal, where it said it in words. */
function detailOf(answer: unknown): string | undefined {
  const isProblem = typeof answer === "object" && answer !== null && "detail" in answer;
  return isProblem && typeof answer.detail === "string" ? answer.detail : undefined;
}

async function send(address: string, file: File): Promise<Uploaded | string | undefined> {
  const body = new FormData();
  body.append("file", file);
  try {
    const response = await fetch(address, {
      method: "POST",
      body,
      headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
    });
    const answer: unknown = await response.json();
    return response.ok && isUploaded(answer) ? answer : detailOf(answer);
  } catch {
    return undefined;
  }
}

function put(list: HTMLElement, file: Uploaded): void {
  const item = list
    .querySelector<HTMLTemplateElement>("template")
    ?.content.querySelector("li")
    ?.cloneNode(true);
  const files = list.querySelector("ul");
  if (!files || !(item instanceof HTMLElement)) return;
  const link = item.querySelector("a");
  const input = item.querySelector("input");
  if (!link || !input) return;
  link.textContent = file.name;
  link.href = `${list.dataset["address"] ?? ""}${encodeURIComponent(file.id)}/`;
  input.value = file.id;
  files.append(item);
  list.dispatchEvent(new Event("input", { bubbles: true }));
}

async function chosen(input: HTMLInputElement, list: HTMLElement): Promise<void> {
  const files = [...(input.files ?? [])];
  input.value = "";
  input.disabled = true;
  const most = Number(list.dataset["most"] ?? Infinity);
  const largest = Number(list.dataset["mebibytes"]) * 1024 * 1024;
  let refusal: string | undefined;
  for (const file of files) {
    if (list.querySelectorAll("ul > li").length >= most) refusal = list.dataset["many"];
    else if (file.size > largest) refusal = `${file.name}: ${list.dataset["large"] ?? ""}`;
    else {
      say(list, list.dataset["sending"]);
      const answer = await send(list.dataset["address"] ?? "", file);
      if (isUploaded(answer)) put(list, answer);
      else refusal = `${file.name}: ${answer ?? list.dataset["failed"] ?? ""}`;
    }
  }
  input.disabled = false;
  if (files.length > 0) say(list, refusal ?? list.dataset["sent"]);
}

function remove(button: HTMLElement): void {
  const list = listOf(button);
  const item = button.closest("li");
  if (!list || !item) return;
  item.remove();
  say(list, list.dataset["removed"]);
  list.dispatchEvent(new Event("input", { bubbles: true }));
  list.querySelector<HTMLElement>("[data-file-choose]")?.focus();
}

export function startUploads(): void {
  onClick("[data-file-remove]", remove);
  document.addEventListener("change", (event) => {
    const input = event.target;
    if (!(input instanceof HTMLInputElement) || !input.matches("[data-file-choose]")) return;
    const list = listOf(input);
    if (list) void chosen(input, list);
  });
}
