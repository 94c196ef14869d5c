import { type Method, schemaKey } from "../../methods.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import {
  type EffectiveSchema,
  effectiveSchema,
  type Placed,
} from "../../schema/effective_schema.ts";
import type { Direction } from "../../schema/json_schema.ts";
import type { MethodSchema, StandardSchemaV1 } from "../../types/schema.ts";
import type { DocumentWarning, JsonSchema, OpenApiVersion } from "../types.ts";
import type { Components, SharedResponses } from "./components.ts";
import { toJsonSchema } from "./json_schema.ts";

/** What all operations of a document share. */
export interface DocumentContext {
  /** Collects the schemas that have a name. */
  readonly components: Components;
  /** Collects the responses that several operations have. */
  readonly shared: SharedResponses;
  /** Collects what could not be described. */
  readonly warnings: DocumentWarning[];
  /** The version of OpenAPI. */
  readonly openapiVersion: OpenApiVersion;
}

/** One operation, and what is needed to describe its parts. */
export class OperationContext {
  /** The route of the operation. */
  readonly route: RouteInfo;
  /** Its method. */
  readonly method: Method;
  /** The schemas of the method. */
  readonly schema: MethodSchema;
  /** The same, merged with the contracts of the folders around it. */
  readonly effective: EffectiveSchema;
  /** What all operations share. */
  readonly document: DocumentContext;
  /** What schemas without a name of their own are named by: `getBooks`. */
  readonly hint: string;

  /** Creates the context of one method of a route. */
  constructor(
    { route, method, hint }: Pick<
      OperationContext,
      "route" | "method" | "hint"
    >,
    document: DocumentContext,
  ) {
    this.route = route;
    this.method = method;
    this.schema = route.schema[schemaKey(method)] ?? {};
    this.effective = effectiveSchema(route.contracts, {
      schema: this.schema,
      file: route.file,
    });
    this.document = document;
    this.hint = hint;
  }

  /**
   * The JSON form of a member's schema. A schema that has none is a warning.
   *
   * @param member Where it stands: in which file, and there `response[200]`, say.
   */
  convert(
    member: Placed<string>,
    schema: StandardSchemaV1 | undefined,
    { direction, name }: {
      readonly direction: Direction;
      readonly name: string;
    },
  ): JsonSchema | undefined {
    if (schema === undefined) return undefined;
    try {
      const hint = member.file === this.route.file
        ? this.hint
        : contractHint(member.file);
      return toJsonSchema(schema, { direction, name: hint + name });
    } catch (error) {
      this.warn(member, `has no JSON form: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Warns of a member of the method's schema, or of a contract around it, once. */
  warn({ value: member, file: path }: Placed<string>, fault: string): void {
    const { warnings } = this.document;
    const place = path === this.route.file
      ? `schema.${schemaKey(this.method)}`
      : "contract";
    const message = `${place}.${member} ${fault}`;
    const isKnown = warnings.some((warning) =>
      warning.path === path && warning.message === message
    );
    if (!isKnown) warnings.push({ path, message });
  }
}

/** What schemas of a contract are named by: `Staff` for `api/(staff)/middleware.ts`. */
export function contractHint(file: string): string {
  const folder = file.split("/").at(-2) ?? "";
  return folder.split(/[^\p{L}\p{N}]+/u).map(capitalize).join("");
}

/** A word with a capital letter first, as names have it. */
export function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
