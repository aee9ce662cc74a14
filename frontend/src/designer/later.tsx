// Parts of the designer that are fetched when they are first shown, or when the page is idle.
//
// `later(() => import("./view/x").then((part) => part.X))` is a component like X. While it is on its
// way it says so; when it cannot be had (no connection, the server gone) it says that, with a button
// to try again. Nothing of the document lives in such a part, so nothing typed is lost by it.
import { signal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { t } from "./texts";
import { Dialog } from "./view/Dialog";
import { Icon } from "./view/Icon";

type State<P> =
  { is: "absent" } | { is: "coming" } | { is: "failed" } | { is: "there"; part: ComponentType<P> };

export interface LaterOptions {
  /** For a part that is a dialog: closes it while it is still on its way. */
  onClose?: () => void;
  /** For a part that nobody misses: nothing is shown while it is not there. */
  quiet?: boolean;
}

/** Fetches of what is shown; who waits for an input that is not drawn yet waits for these. */
const shownFetches = new Set<Promise<unknown>>();
const known: (() => Promise<boolean>)[] = [];

/** A fetch that runs once, and again only after it failed; true when the part is there. */
function once<T>(load: () => Promise<T>, take: (part: T) => void, fail: () => void) {
  let running: Promise<boolean> | null = null;
  return (): Promise<boolean> => {
    running ??= load().then(
      (part) => {
        take(part);
        return true;
      },
      () => {
        running = null;
        fail();
        return false;
      },
    );
    return running;
  };
}

/**
 * A component that is fetched. `load` gives the component of the part; it is called when the part is
 * shown first or when the page is idle, and again after a failure only when somebody asks.
 */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { onClose, quiet = false }: LaterOptions = {},
): (props: P) => JSX.Element | null {
  const state = signal<State<P>>({ is: "absent" });
  const fetchPart = once(
    load,
    (part) => {
      state.value = { is: "there", part };
    },
    () => {
      // Unseen, while the page was idle, it simply is not there yet.
      if (state.peek().is !== "absent") state.value = { is: "failed" };
    },
  );
  known.push(fetchPart);
  const show = (): void => {
    state.value = { is: "coming" };
    const coming = fetchPart();
    shownFetches.add(coming);
    void coming.finally(() => shownFetches.delete(coming));
  };
  return function Later(props: P): JSX.Element | null {
    const now = state.value;
    // Not after painting: who waits for what is drawn (`whenDrawn`) must find the fetch begun.
    useLayoutEffect(() => {
      if (state.peek().is !== "there") show();
    }, []);
    if (now.is === "there") return <now.part {...props} />;
    if (quiet) return null;
    const failed = now.is === "failed";
    const body = failed ? <Failed onRetry={show} /> : <Coming />;
    if (onClose === undefined) return body;
    return (
      <Dialog title={t(failed ? "part.failed-title" : "part.loading")} onClose={onClose}>
        {body}
      </Dialog>
    );
  };
}

function Coming(): JSX.Element {
  return (
    <p class="person-note" role="status" data-part="coming">
      {t("part.loading")}
    </p>
  );
}

function Failed({ onRetry }: { onRetry: () => void }): JSX.Element {
  return (
    <div class="alert alert-danger" role="alert" data-part="failed">
      <Icon name="alert-circle" />
      <div>
        <p>{t("part.failed")}</p>
        <button type="button" class="btn btn-plain btn-sm" onClick={onRetry}>
          {t("part.retry")}
        </button>
      </div>
    </div>
  );
}

/** Code without a view that is fetched: `rules()` gives it, or rejects when it cannot be had. */
export function fetched<T>(load: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= load().catch((reason: unknown) => {
      running = null;
      throw reason;
    });
    return running;
  };
}

/** Fetches all parts one after the other, so that opening one later is immediate. */
export async function fetchAll(): Promise<void> {
  for (const fetchPart of known) await fetchPart();
}

/** Runs this when everything shown now is drawn, parts that are still on their way included. */
export function whenDrawn(run: () => void): void {
  const from = document.activeElement;
  // A task later, for by then the part that the last change asks for has begun to be fetched.
  setTimeout(() => {
    if (shownFetches.size === 0) run();
    else {
      void Promise.all(shownFetches).then(() =>
        setTimeout(() => {
          // Who went on to something else meanwhile is not called back.
          const now = document.activeElement;
          if (now === from || now === document.body || now === null) run();
        }),
      );
    }
  });
}
