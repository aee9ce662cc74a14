// The one script of every page: htmx and the small behaviours, each declared by a data attribute.
import { armCountdowns } from "./countdown";
import { startCounters } from "./counters";
import { armDialogs, startDialogs } from "./dialogs";
import { armDrafts, startDrafts } from "./drafts";
import { armForms, startForms } from "./forms";
import { armShortcuts, startKeyboard } from "./keyboard";
import { armLists, startLists } from "./lists";
import { startOrder } from "./order";
import { startRequests } from "./requests";
import { armRows, startRows } from "./rows";
import { startSlots } from "./slots";
import { startTabs } from "./tabs";
import { refreshTimes, startTicking } from "./times";
import { startToasts } from "./toasts";
import { startUploads } from "./uploads";

function arm(root: ParentNode): void {
  // First, so that a form is as it will be edited when it is remembered as unchanged.
  armRows(root);
  armForms(root);
  armDialogs(root);
  armDrafts(root);
  armLists(root);
  refreshTimes(root);
  armCountdowns(root);
  armShortcuts(root);
}

startRequests();
startDialogs();
startForms();
startRows();
startUploads();
startKeyboard();
startDrafts();
startLists();
startOrder();
startSlots();
startTabs();
startToasts();
startTicking();
startCounters();
arm(document);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target instanceof Element) arm(event.target);
});
// Last, after htmx has read the page too: from now on every key and button does what it says, and
// whoever works faster than a script loads (a browser test) can wait for that.
document.addEventListener("DOMContentLoaded", () => {
  document.documentElement.dataset["ready"] = "";
});
