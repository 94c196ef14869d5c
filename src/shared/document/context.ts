import { capitalize } from "../../core/common/values.ts";
import { type Method, schemaKey } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import { compileSegment } from "../../core/routing/pattern.ts";
import {
  type Declaration,
  declarationOf,
} from "../../core/schema/declaration.ts";
import type {
  EffectiveSchema,
  Located,
} from "../../core/types/effective_schema.ts";
import type { Direction, JsonSchema } from "../../core/schema/json_schema.ts";
import type {
  MethodSchema,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import type { DocumentWarning, OpenApiVersion } from "../types.ts";
import type { Components } from "./components.ts";
import { toJsonSchema } from "./json_schema.ts";

/** The state that all operations of a document share. */
export interface DocumentContext {
  readonly components: Components;
  readonly warnings: DocumentWarning[];
  /** Matters to streams of events. */
  readonly openapiVersion?: OpenApiVersion;
}

/** The side of a schema to describe, and the name for an unnamed schema. */
interface Description {
  readonly direction: Direction;
  readonly name: string;
}

/** Converts the schemas of an operation, and collects warnings about these schemas. */
export class OperationContext {
  readonly route: RouteInfo;
  readonly method: Method;
  readonly schema: MethodSchema;
  /** The bodies that the method reads. */
  readonly body: Declaration["body"];
  /** The schemas merged with the contracts of the folders. */
  readonly effective: EffectiveSchema;
  readonly document: DocumentContext;
  /** The members of the operation that have no JSON Schema. */
  readonly undescribed = new Set<string>();

  constructor(
    document: DocumentContext,
    { route, method }: { readonly route: RouteInfo; readonly method: Method },
  ) {
    this.document = document;
    this.route = route;
    this.method = method;
    this.schema = route.schema[schemaKey(method)] ?? {};
    this.body = declarationOf(this.schema).body;
    this.effective = route.operations.get(method)!;
  }

  /**
   * Converts the schema of a member to JSON Schema. A schema that cannot be converted
   * causes a warning.
   *
   * @param member The member, such as `response[200]`, and its file.
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
      return toJsonSchema(schema, {
        direction,
        name: hint + name,
        warn: (fault) => this.warn(member, fault),
      });
    } catch (error) {
      this.undescribed.add(member.value);
      this.warn(member, `has no JSON Schema: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Converts a schema; its named parts become references to components of the document. */
  describe(
    member: Located<string>,
    schema: StandardSchemaV1 | undefined,
    options: Description,
  ): JsonSchema | undefined {
    const json = this.convert(member, schema, options);
    return json && this.document.components.add(json, options.direction);
  }

  /** Adds a warning about a member of the method's schema or of a contract. */
  warn({ value: member, file: path }: Located<string>, fault: string): void {
    const place = path === this.route.file
      ? `schema.${schemaKey(this.method)}`
      : "contract";
    addWarning(this.document.warnings, path, `${place}.${member} ${fault}`);
  }
}

/** Adds a warning about a file; adds the same warning only once. */
export function addWarning(
  warnings: DocumentWarning[],
  path: string,
  message: string,
): void {
  const isKnown = warnings.some((each) =>
    each.path === path && each.message === message
  );
  if (!isKnown) warnings.push({ path, message });
}

/** The prefix for schemas of a contract: `Staff` for `api/(staff)/middleware.ts`. */
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
