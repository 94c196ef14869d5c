import type { Placed } from "../../schema/effective_schema.ts";
import {
  IssueReport,
  runSchema,
  type SchemaResult,
} from "../../schema/run_schema.ts";
import type { SchemaPart, StandardSchemaV1 } from "../../types/schema.ts";
import {
  type Captures,
  hasBody,
  isReached,
  type Operation,
} from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import { bodyOf, seenBody } from "../send/body.ts";
import { areHeaders } from "../send/wire.ts";

/** What a request to an operation is made of, as schemas see it. */
export interface Input extends Captures {
  /** The query, as text. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The value of the body, if the operation has one. */
  readonly body?: unknown;
  /** The media type of the body; by default that of JSON. */
  readonly type?: string;
}

/** The request to an operation with an input. */
export function planOf(
  operation: Operation,
  input: Input,
  as: Readonly<Record<string, string>>,
): RequestPlan {
  const body = hasBody(operation) ? bodyOf(input.body, input.type) : undefined;
  return {
    method: operation.method,
    target: pathOf(operation, input) + searchOf(input.query),
    headers: { ...input.headers, ...as, ...body?.headers },
    ...(body?.text !== undefined && { body: body.text }),
  };
}

/** The path of an operation with the values of its segments. */
export function pathOf(
  { route: { segments } }: Pick<Operation, "route">,
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

/** The parts of an input. */
export const PARTS: readonly SchemaPart[] = [
  "params",
  "query",
  "headers",
  "body",
];

/** Checks one part of an input by one of its schemas; `undefined` if that throws. */
export async function checkPart(
  part: SchemaPart,
  schema: Placed<StandardSchemaV1>,
  value: unknown,
): Promise<SchemaResult | undefined> {
  try {
    return await runPart(part, schema, value);
  } catch {
    return undefined;
  }
}

function runPart(
  part: SchemaPart,
  { value: schema, file }: Placed<StandardSchemaV1>,
  value: unknown,
): SchemaResult | Promise<SchemaResult> {
  if (part !== "params") return runSchema(schema, value, part);
  // The contract of a folder sees the values of its own path alone.
  const names = isMiddleware(file)
    ? [...file.matchAll(/\[([\w$-]+)\](?=\/)/g)].map(([, name]) => name!)
    : Object.keys(value as object);
  const params = value as Record<string, unknown>;
  const seen = Object.fromEntries(names.map((name) => [name, params[name]]));
  return runSchema(schema, seen, part);
}

function isMiddleware(file: string): boolean {
  return /(?:^|\/)middleware\.[jt]sx?$/.test(file);
}

/**
 * Whether HTTP carries an input as it is, and its schemas accept it. One for which a
 * schema throws is sent, too, since the application has to respond to it.
 */
export async function isFitting(
  operation: Operation,
  input: Input,
  as: Readonly<Record<string, string>>,
): Promise<boolean> {
  return isReached(operation, input) &&
    areHeaders(input.headers) &&
    ((await refusedPlaces(operation, input, as))?.size ?? 0) === 0;
}

/**
 * The places of an input that its schemas refuse, as `body#/title`; `undefined` if none
 * is refused, but a schema throws.
 */
export async function refusedPlaces(
  operation: Operation,
  input: Input,
  as: Readonly<Record<string, string>>,
): Promise<Set<string> | undefined> {
  const places = new Set<string>();
  let hasThrown = false;
  for (const part of PARTS) {
    if (part === "body" && !hasBody(operation)) continue;
    const value = part === "headers"
      ? { ...input.headers, ...as }
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

/** Whether the body of a request is larger than its route takes. */
export function isTooLarge(
  { route: { bodyLimit } }: Operation,
  { body = "" }: RequestPlan,
): boolean {
  return new TextEncoder().encode(body).length > bodyLimit;
}
