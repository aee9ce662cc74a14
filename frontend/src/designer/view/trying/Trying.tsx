// What "Simulate" holds: the sample request, its way, the scenarios, and past requests.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { page } from "../../page";
import { startTrying } from "../../trying";
import { Replay } from "./Replay";
import { SampleInputs } from "./SampleInputs";
import { Scenarios } from "./Scenarios";
import { WayList } from "./WayList";

export function Trying(): JSX.Element {
  useEffect(startTrying, []);
  return (
    <div class="dz-trying panel-body">
      <SampleInputs />
      <WayList />
      <Scenarios />
      {page().may_replay && <Replay />}
    </div>
  );
}
