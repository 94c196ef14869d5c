import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import { lenientForm } from "../../core/schema/json_schema.ts";
import type { SchemaPart } from "../../plumbing.ts";
import type { Draw } from "../../shared/values/draw.ts";
import type { Operation } from "../operation.ts";
import { becomesLarge, type Input, isValid, refusedPlaces } from "./input.ts";
import {
  type InputContext,
  type InputEdit,
  inputValues,
  isCredential,
} from "./parts.ts";
import { drawn, type Make, Planned, samplesOf } from "./planned.ts";

/** Valid inputs, the planned inputs first, or the reason why there are none. */
export type Inputs =
  | {
    readonly arbitrary: Planned<Input>;
    /** Inputs with large files, which are sent once: hundreds would be gigabytes. */
    readonly large: readonly Input[];
  }
  | { readonly missing: string };

/** The number of ordinary inputs, of which each edge changes one. */
const BASES = 30;

/** The number of ordinary inputs to try with an edge. */
const TRIES = 3;

/** The number of changed inputs to validate if no ordinary input is valid. */
const SAMPLES = 200;

/** Valid inputs of an operation, of which at most `most` are planned. */
export async function inputsOf(
  operation: Operation,
  { most, seed, ...context }: InputContext & {
    readonly most: number;
    readonly seed: number;
  },
): Promise<Inputs> {
  const { plain, edges, missing } = inputValues(operation, context);
  if (missing !== undefined) return { missing };
  const samples = samplesOf(plain, { count: BASES, seed });
  let bases = await Array.fromAsync(validOf(operation, samples));
  const share = bases.length;
  if (share === 0) {
    // Only the schema itself contains its refinements, which may reject nearly all
    // values. In this case, the few valid values are reused.
    const more = samplesOf(changed(plain, edges), { count: SAMPLES, seed });
    samples.push(...edges.map((edit) => edit(samples[0]!)), ...more);
    bases = await Array.fromAsync(validOf(operation, samples));
  }
  if (bases.length === 0) {
    return { missing: await partWithoutValues(operation, samples) };
  }
  const isLarge = (input: Input) => becomesLarge(bases[0]!, input);
  const planned = bases.slice(0, 1);
  const large: Input[] = [];
  for await (const input of editedOf(operation, { bases, edges })) {
    if (planned.length >= most) break;
    (isLarge(input) ? large : planned).push(input);
  }
  // An arbitrary cannot wait for an asynchronous schema, so some values are invalid.
  // `validPlan()` drops them before their requests are sent.
  const base = (draw: Draw) =>
    draw.pick(BASES) < share ? plain(draw) : draw.from(bases);
  const small = edges.filter((edit) => !isLarge(edit(bases[0]!)));
  const random = drawn(changed(base, small));
  return {
    large,
    get arbitrary() {
      return new Planned(planned, random);
    },
  };
}

/** A base with each of the edges, as far as these are valid. */
async function* editedOf(
  operation: Operation,
  { bases, edges }: {
    readonly bases: readonly Input[];
    readonly edges: readonly InputEdit[];
  },
): AsyncGenerator<Input> {
  for (const [index, edit] of edges.entries()) {
    const first = index % bases.length;
    const inputs = [...bases.slice(first), ...bases.slice(0, first)].values()
      .filter((base) => edit(base) !== base).take(TRIES).map(edit);
    const { value } = await validOf(operation, inputs).next();
    if (value !== undefined) yield value;
  }
}

/** Values with up to three changes. */
function changed(make: Make<Input>, edits: readonly InputEdit[]): Make<Input> {
  return (draw) => {
    let input = make(draw);
    for (let left = draw.pick(4); left > 0; left--) {
      input = draw.from(edits)?.(input) ?? input;
    }
    return input;
  };
}

async function* validOf(
  operation: Operation,
  inputs: Iterable<Input>,
): AsyncGenerator<Input, undefined> {
  for (const input of inputs) {
    if (await isValid(operation, input)) yield input;
  }
}

/** The part whose schema rejects all inputs. */
async function partWithoutValues(
  operation: Operation,
  inputs: readonly Input[],
): Promise<string> {
  const places = await Promise.all(
    inputs.map((input) => refusedPlaces(operation, input)),
  );
  const count = (part: SchemaPart) =>
    places.filter((all) => all?.values().some((each) => each.startsWith(part)))
      .length;
  const [part] = SCHEMA_PARTS.toSorted((a, b) => count(b) - count(a));
  const secret = parameterNames(operation, part!)
    .find((name) => isCredential(operation, part!, name));
  const option = part === "headers" ? "as" : "generators";
  return secret === undefined
    ? `${part}: no generated value fits its schema`
    : `${part}: "${secret}" carries a credential, which tests never generate; send it with "${option}"`;
}

/** The names of the members that the schemas of a part declare. */
export function parameterNames(
  { schema: { parts } }: Operation,
  part: SchemaPart,
): string[] {
  return parts[part].flatMap(({ value }) =>
    Object.keys(lenientForm(value, "input")?.properties ?? {})
  );
}
