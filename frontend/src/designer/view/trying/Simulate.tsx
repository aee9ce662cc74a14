// The panel below the canvas in which a process is tried out; what is in it is fetched when opened.
import type { JSX } from "preact";
import { later } from "../../later";
import { trying } from "../../sample";
import { readOnly } from "../../state";
import { t } from "../../texts";
import { Icon } from "../Icon";

const Trying = later(() => import("./Trying").then(({ Trying: part }) => part));

export function Simulate(): JSX.Element | null {
  if (readOnly.value) return null;
  return (
    <details
      class="dz-drawer"
      data-simulate=""
      open={trying.value}
      onToggle={(event) => {
        trying.value = event.currentTarget.open;
      }}
    >
      <summary>
        <Icon name="player-play" />
        {t("try.title")}
      </summary>
      {trying.value && <Trying />}
    </details>
  );
}
