import { isObject } from "../../common/values.ts";
import { hasBody, isReached, type Operation } from "../operation.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import {
  areHeaders,
  fileOf,
  isCarried,
  JSON_TYPE,
  MULTIPART,
} from "../send/wire.ts";
import { type Input, isTooLarge, planOf, refusedPlaces } from "./input.ts";

/** A request that the contract refuses, and how. */
export interface Refusal {
  readonly plan: RequestPlan;
  readonly status: number;
  /** One of these places must be named, such as `body#/title`. */
  readonly places: ReadonlySet<string>;
}

/** A text that is longer than any that is made. */
const LONG = "x".repeat(11_000);

/** What a value of JSON is replaced by. */
const VALUES = [null, "", "x", -1, 0, 1.5, 1e15, true, [], {}, LONG];

/** What a text of a path, a query or a header is replaced by. */
const TEXTS = ["x", "", "-1", "1.5", "99999999999999999999", "x".repeat(300)];

/** What a file is replaced by, beside texts. */
const FILES = [fileOf("", "text/plain"), fileOf("x", "application/x-other")];

/** The name of a member that no schema has. */
const EXTRA = "notInTheSchema";

/** The largest body that is made to be too large, in bytes. */
const MAX_BODY = 64 * 1024 * 1024;

/** The kinds of mutations that do not change a value. */
const SPECIAL = 3;

/**
 * Changes one thing of an input that fits, so that its schemas refuse it.
 *
 * @param choice Which thing to change, of as many as there are.
 * @returns `undefined` if the schemas accept it nevertheless.
 */
export async function mutate(
  operation: Operation,
  input: Input,
  choice: number,
): Promise<Refusal | undefined> {
  if (hasBody(operation) && choice < 2 * SPECIAL) {
    return malformedOf(operation, planOf(operation, input), choice % SPECIAL);
  }
  const mutated = [...mutations(operation, input)];
  if (mutated.length === 0) return undefined;
  const chosen = mutated[choice % mutated.length]!;
  const places = await refusedPlaces(operation, chosen);
  const plan = planOf(operation, chosen);
  // What is too large is refused before it is checked.
  return places?.size === 0 || isTooLarge(operation, plan)
    ? undefined
    : { plan, status: 400, places: places ?? new Set() };
}

/** Whether an operation checks anything that can be mutated. */
export function isChecked(operation: Operation): boolean {
  const { params, query, headers } = operation.schema.parts;
  return hasBody(operation) ||
    params.length + query.length + headers.length > 0;
}

function malformedOf(
  { route: { bodyLimit } }: Operation,
  plan: RequestPlan,
  kind: number,
): Refusal | undefined {
  const { body = "null", headers } = plan;
  const type = headers["content-type"] ?? JSON_TYPE;
  const refusal = (status: number, body: string, type: string) => ({
    plan: { ...plan, body, headers: { ...headers, "content-type": type } },
    status,
    places: new Set(status === 400 ? ["body#"] : []),
  });
  if (kind === 0) return refusal(415, body, "text/xml");
  if (kind === 1) {
    // Any text is a form of names and values, but not one of parts.
    return refusal(400, "{", type.startsWith(MULTIPART) ? type : JSON_TYPE);
  }
  if (bodyLimit > MAX_BODY) return undefined;
  const more = Math.max(0, bodyLimit - body.length) + 1;
  return refusal(413, body + " ".repeat(more), type);
}

/** Inputs in which one thing is changed. */
function* mutations(operation: Operation, input: Input): Generator<Input> {
  const { parts } = operation.schema;
  if (parts.params.length > 0) {
    for (const name of Object.keys(input.params)) {
      for (const text of TEXTS) {
        const params = { ...input.params, [name]: text };
        const mutated = { ...input, params };
        if (isCarried(mutated) && isReached(operation, mutated)) yield mutated;
      }
    }
  }
  if (parts.query.length > 0) {
    for (const query of textMutations(input.query)) yield { ...input, query };
  }
  if (parts.headers.length > 0) {
    for (const texts of textMutations(input.headers)) {
      if (areHeaders(texts)) yield { ...input, headers: texts as Strings };
    }
  }
  if (!hasBody(operation)) return;
  for (const body of valueMutations(input.body, 0)) yield { ...input, body };
}

function* textMutations(
  texts: Readonly<Record<string, unknown>>,
): Generator<Record<string, unknown>> {
  for (const name of Object.keys(texts)) {
    const { [name]: _, ...rest } = texts;
    yield rest;
    for (const text of TEXTS) yield { ...texts, [name]: text };
  }
  yield { ...texts, [EXTRA.toLowerCase()]: "x" };
}

/** How deep a body is changed. */
const MAX_DEPTH = 4;

function* valueMutations(value: unknown, depth: number): Generator<unknown> {
  if (value instanceof File) yield* FILES;
  else if (Array.isArray(value) && depth < MAX_DEPTH) {
    for (const [index, item] of value.slice(0, 2).entries()) {
      for (const mutated of valueMutations(item, depth + 1)) {
        yield value.with(index, mutated);
      }
    }
  } else if (isObject(value) && depth < MAX_DEPTH) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...rest } = value;
      yield rest;
      for (const mutated of valueMutations(member, depth + 1)) {
        yield { ...value, [name]: mutated };
      }
    }
    yield { ...value, [EXTRA]: 1 };
  }
  yield* VALUES;
}
