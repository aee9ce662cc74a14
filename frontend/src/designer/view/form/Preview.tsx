// The form as the server shows it, a moment after the last change: what is seen is what is filed.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { draft } from "../../state";
import { t } from "../../texts";
import { pictureOf } from "../fields/finding";

const pause = 500; // milliseconds

export function Preview(): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"waiting" | "shown" | "failed">("waiting");
  const form = draft.value.form;
  useEffect(() => {
    if (form === null) {
      place.current?.replaceChildren();
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void pictureOf(form, stop.signal).then((picture) => {
        if (stop.signal.aborted) return;
        if (picture) place.current?.replaceChildren(...picture.body.childNodes);
        setState(picture ? "shown" : "failed");
      });
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [form]);
  return (
    <section class="form-preview" aria-label={t("p.form.preview")}>
      <h3>{t("p.form.preview")}</h3>
      {state === "failed" ? <p class="form-hint">{t("p.form.preview_failed")}</p> : null}
      {form === null ? <p class="form-hint">{t("p.form.none")}</p> : null}
      <div ref={place} />
    </section>
  );
}
