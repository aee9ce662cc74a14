// The designer of processes: takes what the page carries and puts itself in the place of the
// read-only tree that the server drew.
import { render } from "preact";
import { startChecking } from "./designer/checking";
import { startKeys } from "./designer/keys";
import { fetchAll } from "./designer/later";
import { startGuard } from "./designer/leaving";
import { offerHint, rememberDensity } from "./designer/looking";
import { carried, usePage, type Delivered } from "./designer/page";
import { startRecovery } from "./designer/recovery";
import { beginWith } from "./designer/saving";
import { useTexts } from "./designer/texts";
import { Shell } from "./designer/view/Shell";

function start(root: HTMLElement): void {
  const data = carried("designer-data") as Delivered;
  useTexts(carried("designer-texts") as Record<string, string>, document.documentElement.lang);
  usePage(data);
  beginWith(data);
  rememberDensity();
  // A process that is new begins with its first stages to do.
  if (data.based_on === null && data.version === 1) offerHint();
  startRecovery();
  startGuard();
  startKeys();
  root.replaceChildren();
  render(<Shell />, root);
  root.dataset["ready"] = "";
  void startChecking().then(() => whenIdle(fetchRest));
}

/** What is opened later comes while nothing else is to do, so that opening it is immediate. */
async function fetchRest(): Promise<void> {
  await fetchAll();
  document.getElementById("designer")?.setAttribute("data-whole", "");
}

function whenIdle(run: () => Promise<void>): void {
  // Not every browser tells when it is idle.
  if ("requestIdleCallback" in window) requestIdleCallback(() => void run(), { timeout: 1000 });
  else setTimeout(() => void run(), 200);
}

const root = document.getElementById("designer");
if (root !== null) start(root);
