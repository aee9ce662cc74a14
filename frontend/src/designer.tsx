// The designer of processes: takes what the page carries and puts itself in the place of the
// read-only tree that the server drew.
import { render } from "preact";
import { startKeys } from "./designer/keys";
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
}

const root = document.getElementById("designer");
if (root !== null) start(root);
