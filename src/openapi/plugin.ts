import { log } from "../core/common/log.ts";
import {
  anyOf,
  checkOptions,
  closest,
  type Form,
  listOf,
  matching,
  type Members,
  OBJECT,
  objectWith,
  oneOf,
  recordOf,
} from "../core/common/forms.ts";
import { SECURITY } from "../core/start/declarations.ts";
import { once } from "../core/common/values.ts";
import { HttpError } from "../core/errors.ts";
import { RouteError, type RouteFault } from "../core/common/faults.ts";
import { schemaKey } from "../core/methods.ts";
import type {
  Plugin,
  PluginContext,
  PluginRoute,
  RouteInfo,
} from "../core/types/plugin.ts";
import type { Handler } from "../core/types/request.ts";
import type { JsonSchema } from "../core/schema/json_schema.ts";
import { describedShape } from "../core/schema/shape.ts";
import type {
  SecurityRequirement,
  StandardSchemaV1,
} from "../core/types/schema.ts";
import {
  type CreatedDocument,
  createDocument,
} from "../shared/document/document.ts";
import { asset, createViewer } from "./page/viewer.ts";
import type {
  ApiInfo,
  DocumentOptions,
  OpenApiVersion,
} from "../shared/types.ts";

const DOING = "create the OpenAPI document";

/** Options of {@linkcode openapi}. */
export interface OpenApiOptions extends DocumentOptions {
  /**
   * The path that serves the document.
   *
   * @default {"/openapi.json"}
   */
  readonly path?: string;
  /**
   * The path that serves the documentation page. With `false`, there is no page.
   *
   * @default {"/docs"}
   */
  readonly docs?: string | false;
}

/**
 * Serves the OpenAPI document of an application, and a page to read and try the API.
 *
 * Bough creates the document and the page at the first request for each, and caches
 * both. The application itself serves the page, which is Swagger UI. The page loads
 * nothing from other origins.
 *
 * @param options The title and the version of the API, and the paths of the document
 * and the page.
 * @returns A plugin for the option `plugins` of `Framework`.
 * @throws {TypeError} If an option is unknown or invalid, or if `security` names a
 * scheme that is missing in `securitySchemes`. If a route or a contract names such a
 * scheme, the application does not start. If a lazy route names such a scheme, Bough
 * responds with 500 to requests for the document.
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
  checkOptions(DOING, options, OPTIONS);
  for (const fault of unknownSchemes("security", options.security, options)) {
    throw new TypeError(`Cannot ${DOING}: ${fault}`);
  }
  const plugin: DocumentPlugin = {
    name: "openapi",
    check: (routes) => schemeFaults(routes, options),
    routes: (context) => documentRoutes(options, context),
    [DOCUMENT]: (routes, info, openapiVersion) =>
      createDocument(routes, {
        ...options,
        info: { ...options.info, ...info },
        ...(openapiVersion !== undefined && { openapiVersion }),
      }),
  };
  return plugin;
}

/** The key of the function below, which all copies of this package share. */
const DOCUMENT = Symbol.for("@bough/framework/openapi document");

/** The plugin, with the function that `documentOf()` calls. */
interface DocumentPlugin extends Plugin {
  readonly [DOCUMENT]: (
    routes: readonly RouteInfo[],
    info: Partial<ApiInfo>,
    openapiVersion?: OpenApiVersion,
  ) => CreatedDocument;
}

/**
 * Returns the document of the first plugin that serves a document.
 *
 * @param info Members that replace members of the plugin's `info`.
 * @param openapiVersion The version that replaces the plugin's version.
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

function documentRoutes(
  options: OpenApiOptions,
  { routes }: PluginContext,
): PluginRoute[] {
  const { path = "/openapi.json", docs = "/docs" } = options;
  const loadDocument = once(async () => {
    const { document, warnings } = validDocument(await routes(), options);
    for (const { path, message } of warnings) {
      log({ level: "warning", place: `OpenAPI: "${path}"`, message });
    }
    const headers = { "content-type": "application/json" };
    return await asset(JSON.stringify(document), headers);
  });
  const respond: Handler = async (request) => (await loadDocument())(request);
  const route = { path, handlers: { GET: respond } };
  if (docs === false) return [route];
  const loadViewer = once(async () => {
    // Swagger UI shows `QUERY` only in a document of version 3.2.
    const shown = { ...options, openapiVersion: "3.2" } as const;
    const { document } = validDocument(await routes(), shown);
    return await createViewer(document, { documentPath: path, docsPath: docs });
  });
  const GET: Handler = async (request) => {
    const { file = "" } = request.params;
    const slashes = new URL(request.url).pathname.split("/").reverse()
      .findIndex((segment) => segment !== "");
    if (file === "" && slashes > 0) {
      // A slash at the end would change the meaning of the relative URLs in the page.
      const location = "../".repeat(slashes) + docs.split("/").at(-1);
      return new Response(null, { status: 308, headers: { location } });
    }
    const respond = (await loadViewer()).get(file);
    if (respond === undefined) throw new HttpError(404);
    return respond(request);
  };
  return [
    route,
    { path: docs, handlers: { GET } },
    { path: `${docs}/[file]`, handlers: { GET } },
  ];
}

/**
 * Creates the document. Checks the security schemes first, since startup does not check
 * lazy routes.
 *
 * @throws {RouteError} If a route names an unknown security scheme, or checks a cookie that
 * a scheme names.
 */
function validDocument(
  routes: readonly RouteInfo[],
  options: OpenApiOptions,
): CreatedDocument {
  const faults = schemeFaults(routes, options);
  if (faults.length > 0) throw new RouteError(faults);
  return createDocument(routes, options);
}

/**
 * Finds unknown security schemes in routes and in their contracts, which would make the
 * document invalid, and cookies of schemes in schemas. Reports each contract once.
 */
function schemeFaults(
  routes: readonly RouteInfo[],
  options: DocumentOptions,
): RouteFault[] {
  const declared = routes.flatMap(({ contracts, schema, methods, file }) => [
    ...contracts.map(({ contract, file: path }) => (
      { ...contract, path, member: "contract" }
    )),
    ...methods.map(schemaKey).map((key) => (
      { ...schema[key], path: file, member: `schema.${key}` }
    )),
  ]);
  const faults = declared.flatMap(({ path, member, security, cookies }) =>
    [
      ...unknownSchemes(`${member}.security`, security, options),
      ...guardedCookies(`${member}.cookies`, cookies, options),
    ].map((reason) => ({ path, reason }))
  );
  const distinct = faults.map((fault) =>
    [`${fault.path} ${fault.reason}`, fault] as const
  );
  return [...new Map(distinct).values()];
}

/**
 * Describes the cookies of security schemes that a schema checks. Without them, the client
 * would get 400 instead of the 401 of the guard.
 */
function guardedCookies(
  member: string,
  cookies: StandardSchemaV1 | undefined,
  { securitySchemes = {} }: Pick<DocumentOptions, "securitySchemes">,
): string[] {
  if (cookies === undefined) return [];
  const { objects = [] } = describedShape(cookies, "strings") ?? {};
  const names = objects.flatMap(({ names }) => names);
  return Object.values(securitySchemes as Record<string, JsonSchema>)
    .filter((scheme) =>
      scheme.in === "cookie" && names.includes(`${scheme.name}`)
    )
    .map(({ name }) =>
      `${member} has "${name}", which a security scheme names; remove it, since the guard reads it, and sends 401`
    );
}

/** Describes the unknown schemes that security requirements name. */
function unknownSchemes(
  member: string,
  security: readonly SecurityRequirement[] = [],
  { securitySchemes = {} }: Pick<DocumentOptions, "securitySchemes">,
): string[] {
  const unknown = security.flatMap((requirement) => Object.keys(requirement))
    .filter((name) => !Object.hasOwn(securitySchemes, name));
  return [...new Set(unknown)].map((name) => {
    const near = closest(name, Object.keys(securitySchemes));
    const advice = near === undefined
      ? "add the scheme to securitySchemes of openapi()"
      : `did you mean "${near}"?`;
    return `${member} names the unknown scheme "${name}"; ${advice}`;
  });
}

/** The form of the path of a plugin. */
export const PATH: Form = matching(
  /^(?:\/[A-Za-z0-9._~-]+)+$/,
  'must be a path such as "/docs"',
);

const OPTIONS: Members<keyof OpenApiOptions> = {
  info: {
    ...objectWith(
      ["title", "version"],
      'must be an object such as { title: "Shop", version: "1.0.0" }',
    ),
    isRequired: true,
  },
  servers: listOf(
    objectWith(["url"], 'must be { url: "https://api.example.com" }'),
    'must be an array of objects, such as [{ url: "https://api.example.com" }]',
  ),
  security: SECURITY,
  securitySchemes: recordOf(
    OBJECT,
    'must be an object of schemes, such as { bearer: { type: "http", scheme: "bearer" } }',
  ),
  tags: listOf(
    objectWith(["name"], 'must be { name: "books" }'),
    'must be an array of objects, such as [{ name: "books" }]',
  ),
  openapiVersion: oneOf("3.1", "3.2"),
  path: PATH,
  docs: anyOf('must be a path such as "/docs", or false', oneOf(false), PATH),
};
