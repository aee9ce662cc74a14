// A modal dialog of the page: the browser traps the focus, closes it on Escape, gives the focus back.
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useId, useRef } from "preact/hooks";
import { t } from "../texts";
import { Icon } from "./Icon";

export function Dialog(props: {
  title: string;
  wide?: boolean;
  onClose: () => void;
  children: ComponentChildren;
  foot?: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null || element.open) return;
    const before = document.activeElement;
    element.showModal();
    return () => {
      // Taken out of the page while open: the browser would not give the focus back by itself.
      element.close();
      if (before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog${props.wide === true ? " dz-wide" : ""}`}
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={title}>{props.title}</h2>
        <button type="button" class="btn-close-own" aria-label={t("close")} onClick={props.onClose}>
          <Icon name="x" />
        </button>
      </div>
      <div class="dialog-body">{props.children}</div>
      {props.foot !== undefined && <div class="dialog-foot">{props.foot}</div>}
    </dialog>
  );
}

export function Button(props: {
  text: string;
  icon?: string;
  look?: "primary" | "plain" | "danger";
  off?: boolean;
  busy?: boolean;
  onPress: () => void;
}): JSX.Element {
  const { look = "plain", busy = false } = props;
  return (
    <button
      type="button"
      class={`btn btn-${look}${busy ? " btn-loading" : ""}`}
      disabled={props.off === true || busy}
      onClick={props.onPress}
    >
      {props.icon !== undefined && <Icon name={props.icon} />}
      {props.text}
    </button>
  );
}
