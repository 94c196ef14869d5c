import { logWarning } from "../common/log.ts";
import {
  checkEachOption,
  isArrayOf,
  OBJECT,
  type OptionKind,
  type OptionTable,
} from "../common/option_table.ts";
import { isObject } from "../common/values.ts";
import { HttpError } from "../errors.ts";
import { RouteError } from "../faults.ts";
import type {
  Plugin,
  PluginContext,
  PluginRoute,
  RouteInfo,
} from "../options/plugin.ts";
import type { Handler } from "../types/request.ts";
import { type CreatedDocument, createDocument } from "./document/document.ts";
import { schemeFaults, unknownSchemes } from "./document/security.ts";
import { Asset, createViewer } from "./page/viewer.ts";
import type { ApiInfo, DocumentOptions, OpenApiVersion } from "./types.ts";

/** Options of {@linkcode openapi}. */
export interface OpenApiOptions extends DocumentOptions {
  /**
   * Where the document is served.
   *
   * @default {"/openapi.json"}
   */
  readonly path?: string;
  /**
   * Where the documentation page is served; `false` serves none.
   *
   * @default {"/docs"}
   */
  readonly docs?: string | false;
}

/**
 * Serves the OpenAPI document of an application, and a page to read it and
 * try it out.
 *
 * Both are created at the first request for them, and kept. The page is Swagger
 * UI, served from the application itself: it loads nothing from elsewhere. It shows
 * examples, which the document itself has only where schemas give them.
 *
 * @param options What the API is, and where its document and page are served.
 * @returns A plugin for the option `plugins` of `Framework`.
 * @throws {TypeError} If a path is malformed, the version unknown, or `security` names a scheme that
 * `securitySchemes` does not have. If a route or a contract does so, the application
 * does not start; if a route does that is imported later, the document is a 500.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { openapi } from "@bough/framework/openapi";
 *
 * const app = new Framework({
 *   apiDir: "examples/minimal/api",
 *   plugins: [openapi({ info: { title: "Minimal", version: "1.0.0" } })],
 * });
 * const response = await app.fetch(new Request("http://localhost/openapi.json"));
 * console.log((await response.json()).paths);
 * ```
 */
export function openapi(options: OpenApiOptions): Plugin {
  checkEachOption("create the OpenAPI document", options, OPTIONS);
  const { path = "/openapi.json", docs = "/docs" } = options;
  for (const fault of schemeFaults("option", options.security, options)) {
    throw new TypeError(`Cannot create the OpenAPI document: ${fault}`);
  }
  const plugin: DocumentPlugin = {
    name: "openapi",
    check: (routes) => unknownSchemes(routes, options),
    routes: (context) => [
      documentRoute(path, options, context),
      ...(docs === false ? [] : viewerRoutes({ path, docs, options, context })),
    ],
    [DOCUMENT]: (routes, info, openapiVersion) =>
      createDocument(routes, {
        ...options,
        info: { ...options.info, ...info },
        ...(openapiVersion !== undefined && { openapiVersion }),
      }),
  };
  return plugin;
}

/** The member by which the command finds the document of a plugin, of any copy. */
const DOCUMENT = Symbol.for("@bough/framework/openapi document");

/** The plugin, as the command knows it. */
interface DocumentPlugin extends Plugin {
  readonly [DOCUMENT]: (
    routes: readonly RouteInfo[],
    info: Partial<ApiInfo>,
    openapiVersion?: OpenApiVersion,
  ) => CreatedDocument;
}

/**
 * The document that the first of these plugins serves which serves one.
 *
 * @param info What it says in place of the plugin's own title and version.
 * @param openapiVersion The version in place of the plugin's own.
 */
export function documentOf(
  plugins: readonly Plugin[],
  routes: readonly RouteInfo[],
  info: Partial<ApiInfo>,
  openapiVersion?: OpenApiVersion,
): CreatedDocument | undefined {
  const plugin = plugins.find((each): each is DocumentPlugin =>
    DOCUMENT in each
  );
  return plugin?.[DOCUMENT](routes, info, openapiVersion);
}

function documentRoute(
  path: string,
  options: OpenApiOptions,
  { routes }: PluginContext,
): PluginRoute {
  const load = once(async () => {
    const { document, warnings } = soundDocument(await routes(), options);
    for (const { path, message } of warnings) {
      logWarning(`OpenAPI: "${path}": ${message}`);
    }
    return await Asset.create(JSON.stringify(document), {
      "content-type": "application/json",
    });
  });
  const GET: Handler = async (request) => (await load()).respond(request);
  return { path, handlers: { GET } };
}

function viewerRoutes({ path, docs, options, context }: {
  readonly path: string;
  readonly docs: string;
  readonly options: OpenApiOptions;
  readonly context: PluginContext;
}): PluginRoute[] {
  const load = once(async () => {
    const { document } = soundDocument(await context.routes(), {
      ...options,
      // What the page adds to a document, it adds to this version.
      openapiVersion: "3.1",
    });
    return await createViewer({
      document,
      documentPath: path,
      docsPath: docs,
    });
  });
  const GET: Handler = async (request) => {
    const asset = (await load()).get(request.params.file ?? "");
    if (asset === undefined) throw new HttpError(404);
    return asset.respond(request);
  };
  return [
    { path: docs, handlers: { GET } },
    { path: `${docs}/[file]`, handlers: { GET } },
  ];
}

/**
 * The document, unless it would be invalid. Of routes that were imported after the start,
 * this is found out here.
 *
 * @throws {RouteError} If a route names a security scheme that is not there.
 */
function soundDocument(
  routes: readonly RouteInfo[],
  options: OpenApiOptions,
): CreatedDocument {
  const faults = unknownSchemes(routes, options);
  if (faults.length > 0) throw new RouteError(faults);
  return createDocument(routes, options);
}

/** Runs a task at the first call, and again only after it failed. */
function once<T>(task: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () =>
    result ??= task().catch((error) => {
      result = undefined;
      throw error;
    });
}

function isPath(value: unknown): boolean {
  return typeof value === "string" && /^(?:\/[A-Za-z0-9._~-]+)+$/.test(value);
}

const OBJECTS: OptionKind = {
  accepts: (value) => isArrayOf(value, isObject),
  expected: "must be an array of objects",
};

const OPTIONS: OptionTable<keyof OpenApiOptions> = {
  info: {
    accepts: isObject,
    expected: 'must be such as { title: "Shop", version: "1.0.0" }',
  },
  servers: OBJECTS,
  security: OBJECTS,
  securitySchemes: OBJECT,
  tags: OBJECTS,
  openapiVersion: {
    accepts: (value) => value === "3.1" || value === "3.2",
    expected: 'must be "3.1" or "3.2"',
    shown: true,
  },
  path: {
    accepts: isPath,
    expected: 'must be a path such as "/docs"',
    shown: true,
  },
  docs: {
    accepts: (value) => value === false || isPath(value),
    expected: 'must be a path such as "/docs", or false',
    shown: true,
  },
};
