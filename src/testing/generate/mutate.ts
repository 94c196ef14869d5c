import { isObject } from "../../common/values.ts";
import {
  hasBody,
  invalidStatus,
  isReached,
  type Operation,
} from "../operation.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import {
  areHeaders,
  fileOf,
  isCarried,
  JSON_TYPE,
  MULTIPART,
} from "../send/wire.ts";
import { type Input, isTooLarge, planOf, refusedPlaces } from "./input.ts";

/** A request that violates the contract, and the expected rejection. */
export interface Refusal {
  readonly plan: RequestPlan;
  readonly status: number;
  /** The response must name one of these places, such as `body#/title`. */
  readonly places: ReadonlySet<string>;
}

/** A string that is longer than all generated strings. */
const LONG = "x".repeat(11_000);

/** The replacements of a JSON value. */
const VALUES = [null, "", "x", -1, 0, 1.5, 1e15, true, [], {}, LONG];

/** The replacements of a string in a path, a query or a header. */
const STRINGS = ["x", "", "-1", "1.5", "99999999999999999999", "x".repeat(300)];

/** The replacements of a file, in addition to JSON values. */
const FILES = [fileOf("", "text/plain"), fileOf("x", "application/x-other")];

/** The name of an undeclared member. */
const EXTRA = "notInTheSchema";

/** The highest body limit, in bytes, for which to generate a body that is too large. */
const MAX_BODY = 64 * 1024 * 1024;

/**
 * The number of changes to the body as a whole: to its media type, its syntax and its
 * size.
 */
const SPECIAL = 3;

/**
 * Makes one change to a valid input, so that its schemas reject the input.
 *
 * @param choice The number of the change, which may exceed the number of possible
 * changes.
 * @returns The request; `undefined` if the schemas accept the changed input.
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
  // A body that is too large is rejected before its validation.
  return places?.size === 0 || isTooLarge(operation, plan) ? undefined : {
    plan,
    status: invalidStatus(operation),
    places: places ?? new Set(),
  };
}

/** Whether an operation has a schema for any part of a request. */
export function isChecked(operation: Operation): boolean {
  const { params, query, headers } = operation.schema.parts;
  return hasBody(operation) ||
    params.length + query.length + headers.length > 0;
}

function malformedOf(
  operation: Operation,
  plan: RequestPlan,
  kind: number,
): Refusal | undefined {
  const { bodyLimit } = operation.route;
  const { body = "null", headers } = plan;
  const type = headers["content-type"] ?? JSON_TYPE;
  const refusal = (
    status: number,
    body: string,
    type: string,
    places: readonly string[] = [],
  ) => ({
    plan: { ...plan, body, headers: { ...headers, "content-type": type } },
    status,
    places: new Set(places),
  });
  if (kind === 0) return refusal(415, body, "text/xml");
  if (kind === 1) {
    // Every string is a valid urlencoded form, but hardly any string is a multipart
    // form.
    const sent = type.startsWith(MULTIPART) ? type : JSON_TYPE;
    return refusal(invalidStatus(operation), "{", sent, ["body#"]);
  }
  if (bodyLimit > MAX_BODY) return undefined;
  const more = Math.max(0, bodyLimit - body.length) + 1;
  return refusal(413, body + " ".repeat(more), type);
}

/** Inputs with one change. */
function* mutations(operation: Operation, input: Input): Generator<Input> {
  const { parts } = operation.schema;
  if (parts.params.length > 0) {
    for (const name of Object.keys(input.params)) {
      for (const text of STRINGS) {
        const params = { ...input.params, [name]: text };
        const mutated = { ...input, params };
        if (isCarried(mutated) && isReached(operation, mutated)) yield mutated;
      }
    }
  }
  if (parts.query.length > 0) {
    for (const query of stringMutations(input.query)) yield { ...input, query };
  }
  if (parts.headers.length > 0) {
    for (const headers of stringMutations(input.headers)) {
      if (areHeaders(headers)) yield { ...input, headers: headers as Strings };
    }
  }
  if (!hasBody(operation)) return;
  for (const body of valueMutations(input.body, 0)) yield { ...input, body };
}

function* stringMutations(
  strings: Readonly<Record<string, unknown>>,
): Generator<Record<string, unknown>> {
  for (const name of Object.keys(strings)) {
    const { [name]: _, ...rest } = strings;
    yield rest;
    for (const text of STRINGS) yield { ...strings, [name]: text };
  }
  yield { ...strings, [EXTRA.toLowerCase()]: "x" };
}

/** The deepest level of a body to change. */
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
