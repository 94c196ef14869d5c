import { type Method, schemaKey } from "../method.ts";
import type { RouteInfo } from "../app/plugin.ts";
import { Components } from "./components.ts";
import {
  defaultOperationId,
  describeOperation,
  type OperationContext,
} from "./operation.ts";
import { pathTemplate } from "./parameters.ts";
import { Problem } from "./problem_schema.ts";
import type {
  DocumentOptions,
  DocumentWarning,
  OpenApiDocument,
  Operation,
} from "./types.ts";

/** An OpenAPI document, and what it leaves out. */
export interface CreatedDocument {
  /** The document. */
  readonly document: OpenApiDocument;
  /** What could not be described. */
  readonly warnings: readonly DocumentWarning[];
}

/**
 * Creates the OpenAPI 3.1 document of routes and their schemas.
 *
 * @param routes The routes, as `app.routes()` lists them.
 * @param options What the document says beyond the routes.
 * @returns The document, and warnings about schemas that have no JSON form.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { createDocument } from "@bough/framework/openapi";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const { document } = createDocument(await app.routes(), {
 *   info: { title: "Minimal", version: "1.0.0" },
 * });
 * console.log(JSON.stringify(document, null, 2));
 * ```
 */
export function createDocument(
  routes: readonly RouteInfo[],
  { info, servers, security, securitySchemes, tags }: DocumentOptions,
): CreatedDocument {
  const components = new Components();
  const warnings: DocumentWarning[] = [];
  const ids = new OperationIds(routes, warnings);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes.toSorted((a, b) => a.path < b.path ? -1 : 1)) {
    const item: Record<string, Operation> =
      paths[pathTemplate(route.segments)] = {};
    for (const method of route.methods) {
      const context: OperationContext = { components, warnings };
      item[schemaKey(method)] = {
        operationId: ids.of(route, method),
        ...describeOperation(route, method, context),
      };
    }
  }
  const responses = problemResponses(components);
  const finished = components.finish({ paths, responses });
  return {
    document: {
      openapi: "3.1.0",
      info,
      ...(servers !== undefined && { servers }),
      ...(security !== undefined && { security }),
      ...(tags !== undefined && { tags }),
      paths: finished.document.paths,
      components: {
        schemas: finished.schemas,
        responses: finished.document.responses,
        ...(securitySchemes !== undefined && { securitySchemes }),
      },
    },
    warnings,
  };
}

/** Gives each operation an id of its own. */
class OperationIds {
  readonly #taken = new Set<string>();

  constructor(routes: readonly RouteInfo[], warnings: DocumentWarning[]) {
    for (const { schema, file } of routes) {
      for (const [method, { operationId }] of Object.entries(schema)) {
        if (operationId === undefined) continue;
        if (this.#taken.has(operationId)) {
          warnings.push({
            path: file,
            message:
              `schema.${method}.operationId "${operationId}" is used by another operation, too; choose a unique one`,
          });
        }
        this.#taken.add(operationId);
      }
    }
  }

  of(route: RouteInfo, method: Method): string {
    const key = schemaKey(method);
    const given = route.schema[key]?.operationId;
    if (given !== undefined) return given;
    const wanted = defaultOperationId(route, method);
    let id = wanted;
    for (let count = 2; this.#taken.has(id); count++) id = `${wanted}${count}`;
    this.#taken.add(id);
    return id;
  }
}

/** The error responses that Bough makes itself; operations refer to them. */
function problemResponses(components: Components): Record<string, object> {
  const json = Problem["~standard"].jsonSchema.output();
  const schema = components.add(json, "output", "Problem");
  const response = (description: string): object => ({
    description,
    content: { "application/problem+json": { schema } },
  });
  return {
    BadRequest: response(
      "The path is malformed, or the request does not fit its schema",
    ),
    NotFound: response("No route matches the path"),
    MethodNotAllowed: {
      ...response("The path has no handler for the method"),
      headers: {
        Allow: {
          description: "The methods that it has handlers for",
          schema: { type: "string" },
        },
      },
    },
    ContentTooLarge: response("The body is larger than the route allows"),
    UnsupportedMediaType: response(
      "The body is neither JSON nor a form, or it is compressed",
    ),
    Problem: response(
      "Any other error: 404 where nothing is found, 405 for another method, 500 where the server fails",
    ),
  };
}
