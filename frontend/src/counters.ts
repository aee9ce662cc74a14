// The numbers in the navigation, as `me` counts them now: asked every 30 s while somebody looks,
// and after each act, so that they move wherever something was read or decided.
//
//   <a data-counter="todo">   an entry whose number stands in a .nav-count at its end
const address = "/api/v1/me"; // answers 304 from the browser's cache while nothing has changed

let asking = false;

function show(entry: HTMLElement, count: number): void {
  let mark = entry.querySelector<HTMLElement>(".nav-count");
  if (count === 0) {
    mark?.remove();
    return;
  }
  if (!mark) {
    mark = document.createElement("span");
    mark.className = "nav-count";
    entry.append(" ", mark);
  }
  const text = String(count);
  if (mark.textContent !== text) mark.textContent = text;
}

async function refresh(): Promise<void> {
  const entries = document.querySelectorAll<HTMLElement>("[data-counter]");
  if (asking || entries.length === 0) return;
  asking = true;
  try {
    const response = await fetch(address, { cache: "no-cache" });
    if (!response.ok) return;
    const { counters } = (await response.json()) as { counters: Record<string, number> };
    for (const entry of entries) show(entry, counters[entry.dataset["counter"] ?? ""] ?? 0);
  } catch {
    // Without a connection the numbers stay; the next tick asks again.
  } finally {
    asking = false;
  }
}

export function startCounters(): void {
  document.addEventListener("flow:tick", () => void refresh());
  document.addEventListener("htmx:afterRequest", (event) => {
    const { detail } = event as CustomEvent<{
      successful: boolean;
      requestConfig: { verb: string };
    }>;
    if (detail.successful && detail.requestConfig.verb !== "get") void refresh();
  });
}
