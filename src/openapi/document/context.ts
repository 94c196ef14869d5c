import { capitalize } from "../../common/values.ts";
import { type Method, schemaKey } from "../../methods.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import { compileSegment } from "../../routing/pattern.ts";
import {
  type EffectiveSchema,
  effectiveSchema,
  type Located,
} from "../../schema/effective_schema.ts";
import type { Direction } from "../../schema/json_schema.ts";
import type { MethodSchema, StandardSchemaV1 } from "../../types/schema.ts";
import type { DocumentWarning, JsonSchema, OpenApiVersion } from "../types.ts";
import type { Components } from "./components.ts";
import { toJsonSchema } from "./json_schema.ts";

/** What all operations of a document share. */
export interface DocumentContext {
  readonly components: Components;
  /** Collects what could not be described. */
  readonly warnings: DocumentWarning[];
  readonly openapiVersion: OpenApiVersion;
}

/** How a schema is described: by its input or its output, and a name if it has none. */
interface Description {
  readonly direction: Direction;
  readonly name: string;
}

/** One operation, and what is needed to describe its parts. */
export class OperationContext {
  readonly route: RouteInfo;
  readonly method: Method;
  /** The schemas of the method. */
  readonly schema: MethodSchema;
  /** The same, merged with the contracts of the folders around it. */
  readonly effective: EffectiveSchema;
  readonly document: DocumentContext;

  constructor(
    document: DocumentContext,
    { route, method }: { readonly route: RouteInfo; readonly method: Method },
  ) {
    const { contracts, file, schema: { [schemaKey(method)]: schema = {} } } =
      route;
    this.document = document;
    this.route = route;
    this.method = method;
    this.schema = schema;
    this.effective = effectiveSchema(contracts, { schema, file });
  }

  /**
   * The JSON form of a member's schema. A schema that has none is a warning.
   *
   * @param member Where it stands: in which file, and there `response[200]`, say.
   */
  convert(
    member: Located<string>,
    schema: StandardSchemaV1 | undefined,
    { direction, name }: Description,
  ): JsonSchema | undefined {
    if (schema === undefined) return undefined;
    try {
      const hint = member.file === this.route.file
        ? defaultOperationId(this.route, this.method)
        : contractHint(member.file);
      return toJsonSchema(schema, { direction, name: hint + name });
    } catch (error) {
      this.warn(member, `has no JSON form: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Converts a schema, with references that hold within the document. */
  describe(
    member: Located<string>,
    schema: StandardSchemaV1 | undefined,
    options: Description,
  ): JsonSchema | undefined {
    const json = this.convert(member, schema, options);
    return json && this.document.components.add(json, options.direction);
  }

  /** Warns of a member of the method's schema, or of a contract around it, once. */
  warn({ value: member, file: path }: Located<string>, fault: string): void {
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
function contractHint(file: string): string {
  return wordsOf(file.split("/").at(-2) ?? "").map(capitalize).join("");
}

/** The default id of an operation: `getUsersByIdPosts` for `GET users/[id]/posts`. */
export function defaultOperationId(
  { folders }: Pick<RouteInfo, "folders">,
  method: Method,
): string {
  const words = folders.flatMap((name) => {
    const segment = compileSegment(name);
    if (segment.kind === "group") return [];
    if (segment.kind === "dynamic") return ["by", segment.name];
    return segment.kind === "wildcard" ? ["by", "wildcard"] : wordsOf(name);
  });
  const name = words.length === 0 ? ["root"] : words;
  return method.toLowerCase() + name.map(capitalize).join("");
}

function wordsOf(name: string): string[] {
  return name.split(/[^\p{L}\p{N}]+/u);
}
