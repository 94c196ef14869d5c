import type { LocatedSchema } from "../../schema/effective_schema.ts";
import {
  IssueReport,
  runSchema,
  type SchemaResult,
} from "../../schema/run_schema.ts";
import { SCHEMA_PARTS } from "../../schema/validate.ts";
import type { SchemaPart } from "../../types/schema.ts";
import {
  type Captures,
  hasBody,
  isReached,
  type Operation,
} from "../operation.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import { areHeaders, bodyOf, seenBody } from "../send/wire.ts";

/** The parts of a request to an operation, in the form that the schemas receive. */
export interface Input extends Captures {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Strings;
  /** The value of the body, if the operation has one. */
  readonly body?: unknown;
  /** The media type of the body; JSON by default. */
  readonly type?: string;
}

/** The request that sends an input to an operation. */
export function planOf(operation: Operation, input: Input): RequestPlan {
  const body = hasBody(operation) ? bodyOf(input.body, input.type) : undefined;
  return {
    method: operation.method,
    target: pathOf(operation, input) + searchOf(input.query),
    headers: {
      ...input.headers,
      ...operation.as,
      ...(body && { "content-type": body.type }),
    },
    ...(body && { body: body.text }),
  };
}

/** The path of an operation, with the values of its segments. */
export function pathOf(
  { route: { segments } }: Operation,
  { params, wildcard }: Captures,
): string {
  return "/" + segments.map((segment) => {
    switch (segment.kind) {
      case "static":
        return encodeURIComponent(segment.text);
      case "dynamic":
        return encodeURIComponent(params[segment.name] ?? "");
      case "wildcard":
        return wildcard.map(encodeURIComponent).join("/");
    }
  }).join("/");
}

function searchOf(query: Input["query"]): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(String(each))}`
    )
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/**
 * Checks one part of an input with one of its schemas. The result is `undefined` if the
 * schema throws.
 */
export async function checkPart(
  part: SchemaPart,
  { value: schema, paramNames }: LocatedSchema,
  value: unknown,
): Promise<SchemaResult | undefined> {
  const values = value as Record<string, unknown>;
  // The contract of a folder receives only the values of its own path.
  const seen = part === "params"
    ? Object.fromEntries(
      (paramNames ?? Object.keys(values)).map((name) => [name, values[name]]),
    )
    : value;
  try {
    return await runSchema(schema, seen, part);
  } catch {
    return undefined;
  }
}

/**
 * Whether HTTP can carry an input unchanged, and whether its schemas accept the input.
 * If a schema throws, the input also counts as valid, since the application must
 * respond to the request.
 */
export async function isValid(
  operation: Operation,
  input: Input,
): Promise<boolean> {
  return isReached(operation, input) && areHeaders(input.headers) &&
    ((await refusedPlaces(operation, input))?.size ?? 0) === 0;
}

/**
 * The places of an input that its schemas reject, such as `body#/title`; `undefined` if
 * the only error is a schema that throws.
 */
export async function refusedPlaces(
  operation: Operation,
  input: Input,
): Promise<Set<string> | undefined> {
  const places = new Set<string>();
  let hasThrown = false;
  for (const part of SCHEMA_PARTS) {
    if (part === "body" && !hasBody(operation)) continue;
    const value = part === "headers"
      ? { ...input.headers, ...operation.as }
      : part === "body"
      ? seenBody(input.body, input.type)
      : input[part];
    for (const schema of operation.schema.parts[part]) {
      const result = await checkPart(part, schema, value);
      hasThrown ||= result === undefined;
      if (result?.issues === undefined) continue;
      const report = new IssueReport();
      report.add(part, result.issues);
      for (const { pointer } of report.errors) places.add(part + pointer);
    }
  }
  return hasThrown && places.size === 0 ? undefined : places;
}

/** Whether the body of a request exceeds the limit of its route. */
export function isTooLarge(
  { route: { bodyLimit } }: Operation,
  { body = "" }: RequestPlan,
): boolean {
  return new TextEncoder().encode(body).length > bodyLimit;
}
