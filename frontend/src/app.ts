// The one script of every page: htmx and the small behaviours, each declared by a data attribute.
import { armDialogs, startDialogs } from "./dialogs";
import { armForms, startForms } from "./forms";
import { startKeyboard } from "./keyboard";
import { startRequests } from "./requests";
import { refreshTimes, startTicking } from "./times";
import { startToasts } from "./toasts";

function arm(root: ParentNode): void {
  armForms(root);
  armDialogs(root);
  refreshTimes(root);
}

startRequests();
startDialogs();
startForms();
startKeyboard();
startToasts();
startTicking();
arm(document);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target instanceof Element) arm(event.target);
});
