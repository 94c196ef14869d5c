import { schemaKey } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import type {
  DocumentOptions,
  DocumentWarning,
  OpenApiDocument,
  Operation,
} from "../types.ts";
import { Components } from "./components.ts";
import type { DocumentContext } from "./context.ts";
import { describeOperation, operationIds } from "./operation.ts";
import { pathTemplate } from "./parameters.ts";

/** An OpenAPI document, and warnings about it. */
export interface CreatedDocument {
  /** The document. */
  readonly document: OpenApiDocument;
  /** The parts that the document omits, or cannot describe as intended. */
  readonly warnings: readonly DocumentWarning[];
}

/**
 * Creates the OpenAPI document of routes and their schemas.
 *
 * @param routes The routes, as returned by `app.routes()`.
 * @param options The members of the document that do not come from routes.
 * @returns The document, and warnings about schemas that the document cannot describe.
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
  options: DocumentOptions,
): CreatedDocument {
  const { info, servers, security, securitySchemes, tags } = options;
  const { openapiVersion = "3.1" } = options;
  const components = new Components();
  const warnings: DocumentWarning[] = [];
  const context: DocumentContext = { components, warnings, openapiVersion };
  const idOf = operationIds(routes, warnings);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes.toSorted((a, b) => a.path < b.path ? -1 : 1)) {
    const item = route.methods.map((method) => {
      const operationId = idOf(route, method);
      const about = describeOperation(route, method, context);
      const operation: Operation = { operationId, ...about };
      return method === "QUERY" && openapiVersion === "3.1"
        ? ["x-oai-additionalOperations", { [method]: operation }]
        : [schemaKey(method), operation];
    });
    paths[pathTemplate(route.segments)] = Object.fromEntries(item);
  }
  const { document, schemas } = components.finish({
    paths,
    responses: components.responses(),
  });
  return {
    document: {
      openapi: `${openapiVersion}.0`,
      info,
      ...(servers !== undefined && { servers }),
      ...(security !== undefined && { security }),
      ...(tags !== undefined && { tags }),
      paths: document.paths,
      components: {
        schemas,
        responses: document.responses,
        ...(securitySchemes !== undefined && { securitySchemes }),
      },
    },
    warnings,
  };
}
