import { isInRange, mediaType } from "../../core/common/media_type.ts";
import { isObject } from "../../core/common/values.ts";
import { flatten, objectMembers } from "../../shared/flat_schema.ts";
import type { JsonSchema } from "../../openapi/mod.ts";
import { seenQuery } from "../../shared/schemas.ts";
import { typeInRange } from "../../shared/wire.ts";
import { lenientForm } from "../../core/schema/json_schema.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import { typesOfBody } from "../../shared/document/operation.ts";
import type { Operation } from "../operation.ts";
import type { Outcome } from "../search/results.ts";
import type { Sender } from "../search/sender.ts";

/** The used and unused declarations of an operation. */
export interface OperationCoverage {
  /** The method and the path of the route. */
  readonly operation: string;
  /** Statuses, media types, and limits and choices, such as `body/text maxLength 9`. */
  readonly seen: readonly string[];
  /** The unused declarations, each with the option that leads to its use. */
  readonly unseen: readonly {
    readonly name: string;
    readonly remedy: string;
  }[];
}

type Use = readonly [name: string, isSeen: boolean, remedy: string];

/** Lists the declared statuses, media types, limits and choices. */
export function usesOf(sender: Sender): OperationCoverage[] {
  return sender.subject.operations.map((operation) => {
    const used = sender.results.of(operation);
    const all = responseUses(operation, used)
      .concat([...requestUses(operation, used)]);
    return {
      operation: operation.name,
      seen: all.filter(([, isSeen]) => isSeen).map(([name]) => name),
      unseen: all.filter(([, isSeen]) => !isSeen)
        .map(([name, , remedy]) => ({ name, remedy })),
    };
  });
}

function generatorsFor({ name }: Operation, part: string): string {
  return `generators: { "${name}": { ${part}: [{ … }] } }`;
}

function responseUses(operation: Operation, { types }: Outcome): Use[] {
  const { responses, route, schema: { parts } } = operation;
  const hasParams = route.segments.some(({ kind }) => kind !== "static");
  const sources = SCHEMA_PARTS.filter((part) =>
    part === "params" ? hasParams : parts[part].length > 0
  );
  const found = [...types].map((text) => text.split(" "))
    .filter(([status]) => status !== "body");
  const isRejected = found.length > 0 &&
    found.every(([status]) => /^40[13]$/.test(status!));
  const declared = [...responses].flatMap(([status, { bodies }]) =>
    (bodies.length === 0 ? [""] : bodies.map((each) => each.mediaType ?? ""))
      .map((range) => [status, range] as const)
  );
  return declared.map(([status, range]) => {
    const isSeen = found.some(([seen, type]) =>
      seen === `${status}` && (!range || isInRange(type!, mediaType(range)))
    );
    const remedy = isRejected || status === 401 || status === 403
      ? `an identity to "as"`
      : sources.length === 0 || status === 429 || status >= 500
      ? "a test of your own"
      : generatorsFor(operation, sources.at(status === 404 ? 0 : -1)!);
    return [`${status} ${range}`.trim(), isSeen, remedy];
  });
}

function* requestUses(operation: Operation, used: Outcome): Generator<Use> {
  for (const part of SCHEMA_PARTS) {
    if (part === "body" && !operation.hasBody) continue;
    const remedy = generatorsFor(operation, part);
    for (const located of operation.schema.parts[part]) {
      const { value, mediaType } = located;
      const values = used.inputs
        .filter(({ type }) => mediaType === undefined || type === mediaType)
        .map((input) =>
          part === "query" ? seenQuery(value, input.query) : input[part]
        );
      // A note reports a schema without JSON Schema.
      const root: JsonSchema = lenientForm(value, "input") ?? {};
      const types = part === "body" ? typesOfBody(located, root) : [];
      for (const type of types) {
        const isSent = used.types.has(`body ${typeInRange(type)}`);
        yield [`body ${type}`, isSent, remedy];
      }
      const followed = new Set<string>();
      yield* limits(root, values, { root, remedy, followed, place: part });
    }
  }
}

interface Place {
  readonly place: string;
  readonly remedy: string;
  readonly root: JsonSchema;
  readonly followed: ReadonlySet<string>;
}

/** The limits and choices of a schema, and whether any value uses them. */
function* limits(
  given: unknown,
  values: readonly unknown[],
  { place, remedy, root, followed }: Place,
): Generator<Use> {
  const flat = flatten(given, root, followed);
  if (flat === undefined) return;
  const at = (step = "") => ({ ...flat, remedy, root, place: place + step });
  for (const branch of flat.branches ?? []) yield* limits(branch, values, at());
  if (flat.branches !== undefined) return;
  const { enum: listed = [], const: only = [], type, items } = flat.schema;
  const choices = [listed, only, type === "null" ? null : []].flat();
  for (const choice of choices) {
    // The values of a query are strings.
    const isSeen = values.some((value) => String(value) === String(choice));
    yield [`${place} ${JSON.stringify(choice)}`, isSeen, remedy];
  }
  for (const [keyword, limit] of Object.entries(flat.schema)) {
    const [, kind] = /^m(?:in|ax)(Length|Items|imum)$/.exec(keyword) ?? [];
    const isOpen = Math.abs(limit as number) >= 2 ** 31 - 1;
    if (kind === undefined || isOpen) continue;
    const measure = (value: unknown) =>
      kind === "imum" ? Number(value) : (value as string)?.length;
    const isSeen = values.some((value) => measure(value) === limit);
    yield [`${place} ${keyword} ${limit}`, isSeen, remedy];
  }
  if (items) yield* limits(items, values.flat(), at("/*"));
  const { members, needed } = objectMembers(flat.schema);
  const objects = values.filter(isObject);
  for (const [name, member] of members) {
    const some = objects.map((each) => each[name])
      .filter((value) => value !== undefined);
    if (!needed.has(name)) {
      yield [`${place}/${name}`, some.length > 0, remedy];
      yield [`${place}/${name} absent`, some.length < objects.length, remedy];
    }
    yield* limits(member, some, at(`/${name}`));
  }
}
