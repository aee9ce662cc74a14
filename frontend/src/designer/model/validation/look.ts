// A document as its checks look at it: read, its steps placed, its parts and its form's fields.
import { everyStep, type Found } from "../tree";
import type { Field, FieldType, Flowdoc } from "../types";
import { isHuman } from "../types";
import { type Args, error, type Finding, printable } from "./finding";
import type { Spot } from "./reading";

/** Everything that a check asks; made once for each document. */
export class Look {
  readonly steps: readonly Found[];
  /** Of two steps with one id the first. */
  readonly known: ReadonlyMap<string, Found>;
  readonly spots: readonly Spot[];
  private readonly byStep = new Map<number, Spot[]>();

  constructor(
    readonly flow: Flowdoc,
    /** Null for a process without a form. */
    readonly fields: ReadonlyMap<string, Field> | null,
    spots: readonly Spot[],
  ) {
    this.steps = everyStep(flow);
    const known = new Map<string, Found>();
    for (const found of this.steps) {
      if (!known.has(found.step.id)) known.set(found.step.id, found);
    }
    this.known = known;
    // A step whose id could not be read has a stand-in for one.
    this.spots = spots.map((spot) => ({ ...spot, step: this.around(spot)?.step.id ?? null }));
    for (const spot of this.spots) {
      const list = this.byStep.get(spot.number);
      if (list === undefined) this.byStep.set(spot.number, [spot]);
      else list.push(spot);
    }
  }

  /** The parts of one step, without the steps inside it. */
  spotsOf(found: Found): readonly Spot[] {
    return this.byStep.get(found.number) ?? [];
  }

  /** The step around a part; undefined at the top. */
  around(spot: Spot): Found | undefined {
    return spot.number === 0 ? undefined : this.steps[spot.number - 1];
  }

  /** The type of a field or of `table.column`; undefined when the form has none such. */
  typeOf(name: string): FieldType | undefined {
    const dot = name.indexOf(".");
    const field = this.fields?.get(dot < 0 ? name : name.slice(0, dot));
    if (field === undefined || dot < 0) return field?.type;
    return field.columns?.find((column) => column.id === name.slice(dot + 1))?.type;
  }

  /** A reference to a field that is not there or of a type that does not fit. */
  fieldFaults(
    name: string,
    at: string,
    step: string | null,
    fitting?: ReadonlySet<FieldType>,
  ): readonly Finding[] {
    const type = this.typeOf(name);
    const args: Args = { field: printable(name) };
    if (type === undefined) return [error("form.unknown_field", at, step, args)];
    if (fitting === undefined || fitting.has(type)) return [];
    return [error("form.type_mismatch", at, step, { ...args, type })];
  }

  /** Whether every way to a step passes the named one, and people decide there. */
  isHumanBefore(id: string, found: Found | undefined): boolean {
    const target = this.known.get(id);
    if (target === undefined || found === undefined) return false;
    return found.dominators.includes(id) && isHuman(target.step);
  }
}
