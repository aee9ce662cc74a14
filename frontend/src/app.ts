// The one script of every page: htmx and the small behaviours, each declared by a data attribute.
import { armCountdowns } from "./countdown";
import { startCounters } from "./counters";
import { armDialogs, startDialogs } from "./dialogs";
import { armDrafts, startDrafts } from "./drafts";
import { armForms, startForms } from "./forms";
import { startKeyboard } from "./keyboard";
import { armLists, startLists } from "./lists";
import { startRequests } from "./requests";
import { armRows, startRows } from "./rows";
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
}

startRequests();
startDialogs();
startForms();
startRows();
startUploads();
startKeyboard();
startDrafts();
startLists();
startToasts();
startTicking();
startCounters();
arm(document);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target instanceof Element) arm(event.target);
});
