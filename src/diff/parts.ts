import type { StandardSchemaIssue } from "../plumbing.ts";
import type { JsonSchema, OpenApiDocument } from "../openapi/mod.ts";
import { canonical } from "./canonical.ts";
import { type Found, messageOf, ruleOf, textOf } from "./change.ts";
import {
  isSent,
  type Part,
  type RequestPart,
  requestWith,
} from "./operations.ts";
import { type LocatedOperation, nameOf } from "./paths.ts";
import { type Narrowing, type Pair, SchemaComparison } from "./schema.ts";
import { opened } from "./validators.ts";

/**
 * Validates a value of a part of a request with the schemas of an application. Returns
 * the issues of the value; `undefined` if the schemas accept it. The type is the media
 * type of a body, if `content()` declares it.
 */
export type Refuse = (
  operation: string,
  part: RequestPart,
  value: unknown,
  type?: string,
) => Promise<readonly StandardSchemaIssue[] | undefined>;

/** The documents to compare, and the schemas of the new application. */
export interface Given {
  readonly before: OpenApiDocument;
  readonly after: OpenApiDocument;
  readonly refuse: Refuse | undefined;
}

/** Two versions of one operation, at the same path. */
export type Versions = Readonly<Record<"old" | "now", LocatedOperation>>;

interface Difference extends Narrowing {
  readonly shown: readonly unknown[];
  /** Whether HTTP sends these values like values that both schemas accept. */
  readonly isOfTypes: boolean;
  readonly message: string;
}

/** The maximum number of values of one difference that the schemas of routes check. */
const MAX_WITNESSES = 10;

/** Keywords that only typed clients check in a response. */
const LIMITS =
  /^(?:enum|pattern|format|multipleOf|uniqueItems|min.+|max.+|exclusive.+)$/;

/** Compares two versions of the parts of operations. */
export class PartComparison {
  readonly schemas: Readonly<Record<Part["direction"], SchemaComparison>>;
  readonly #given: Given;
  /** The differences of parts by the texts of their schemas. */
  readonly #known = new Map<string, readonly Difference[]>();

  constructor(given: Given) {
    this.#given = given;
    const { before, after } = given;
    const [old, now] = [withOpenSchemas(before), withOpenSchemas(after)];
    this.schemas = {
      request: new SchemaComparison(before, after, "request"),
      response: new SchemaComparison(now, old, "response"),
    };
  }

  /** The changes of a part, each with a value that shows it, if one does. */
  async *changes(
    given: Part,
    after: JsonSchema,
    { old, now }: Versions,
  ): AsyncGenerator<Found> {
    const { schema: before, direction, place, part, type } = given;
    const pair = direction === "request"
      ? [before, after] as const
      : [after, before] as const;
    if (this.schemas[direction].areEqual(pair)) return;
    const { refuse, before: root } = this.#given;
    const issuesOf = part && refuse &&
      ((value: unknown) => refuse(nameOf(now), part, value, type));
    // A body without JSON Schema may read any member.
    const isDescribed = !now.operation["x-undescribed"]?.includes(place);
    for (const difference of this.#differences(given, pair)) {
      const { keyword, shown, isOfTypes } = difference;
      if (keyword === "properties" && !isDescribed) continue;
      const issues = issuesOf && await Promise.all(shown.map(issuesOf));
      const refused = shown.filter((_, index) => !issues || issues[index]);
      const isSilent = !part || isOfTypes || refused.length === 0;
      yield {
        ...changeOf(difference, given, refused),
        ...!isSilent && {
          request: requestWith(old, [part, refused[0], type], root),
        },
      };
    }
    if (issuesOf) yield* this.#refined(given, pair, issuesOf);
  }

  #differences(
    { direction, place, part }: Part,
    pair: Pair,
  ): readonly Difference[] {
    const schemas = this.schemas[direction];
    const areStrings = /(?:params|query|headers|cookies)$/.test(place);
    const count = part && this.#given.refuse ? MAX_WITNESSES : 1;
    const compare = (narrowing: Narrowing): Difference => {
      const valuesFor = (isShown: (value: unknown) => boolean) =>
        schemas.witnesses(narrowing, pair)
          .filter((value) => isSent(part, value) && isShown(value))
          .take(count).toArray();
      const others = valuesFor((value) =>
        !areStrings ||
        !schemas.acceptsStrings(pair, value, { inQuery: part === "query" })
      );
      // HTTP sends a number, or a list of one value, as a string, so only the type
      // differs.
      const isOfTypes = areStrings && others.length === 0;
      const digest = () => schemas.digest(narrowing);
      const shown = isOfTypes ? valuesFor(() => true) : others;
      return {
        ...{ ...narrowing, shown, isOfTypes: isOfTypes && shown.length > 0 },
        message: messageOf(narrowing, direction, digest),
      };
    };
    return this.#known.getOrInsertComputed(
      [direction, part, ...pair.map(canonical)].join("\n"),
      () => schemas.compare(pair, part === "body").map(compare),
    );
  }

  /** A value that both documents accept, and the schema of the route refuses. */
  async *#refined(
    { part, place, direction }: Part,
    pair: Pair,
    issuesOf: (value: unknown) => ReturnType<Refuse>,
  ): AsyncGenerator<Found> {
    const schemas = this.schemas[direction];
    for (const value of schemas.examples(pair)) {
      if (!isSent(part, value)) continue;
      // The old schemas may refuse a value of a member that did not change, too.
      const issue = (await issuesOf(value))?.find(({ path = [] }) => {
        const steps = path.map((each) =>
          String(typeof each === "object" ? each.key : each)
        );
        return schemas.isChanged(pair, value, steps);
      });
      if (issue === undefined) continue;
      const message = `the schema of the route refuses ${textOf(value)}, ` +
        `which the document accepts: ${issue.message}`;
      const verdict = "unknown";
      return yield { rule: "refinement", verdict, place, message, value };
    }
  }
}

/** A difference as a change, with the first value that the new schemas refuse. */
function changeOf(
  { kind, keyword, pointer, shown, isOfTypes, ...given }: Difference,
  { place, direction }: Part,
  refused: readonly unknown[],
): Found {
  const isTyped = isOfTypes || direction === "response" && LIMITS.test(keyword);
  const isKept = shown.length > 0 && refused.length === 0;
  return {
    rule: ruleOf(keyword, direction),
    place: `${place}#${pointer}`,
    message: given.message +
      (isKept ? "; but the schema of the route accepts the value" : ""),
    clients: isTyped ? "typed" : given.clients,
    ...refused.length > 0
      ? { value: refused[0] }
      : kind !== "stated" && { verdict: "unknown" },
  };
}

function withOpenSchemas(document: OpenApiDocument): OpenApiDocument {
  const { components: { schemas, ...rest } } = document;
  return { ...document, components: { ...rest, ...opened({ schemas }) } };
}
