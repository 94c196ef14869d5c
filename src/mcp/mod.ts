/**
 * Offers chosen methods to agents, as tools of the Model Context Protocol (MCP).
 *
 * A method opts in with `schema.get.mcp`, a folder with `contract.mcp`. A call becomes a
 * request to the application itself, with the credentials of the caller. So the
 * guards, the validation, the limits and the logs of the route apply.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { mcp } from "@bough/framework/mcp";
 *
 * const app = new Framework({
 *   apiDir: "examples/minimal/api",
 *   plugins: [mcp({ info: { name: "Minimal", version: "1.0.0" } })],
 * });
 * ```
 *
 * @module
 */
import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { log } from "../core/common/log.ts";
import {
  checkOptions,
  FUNCTION,
  listOf,
  type Members,
  objectWith,
} from "../core/common/forms.ts";
import { once, parseUrl, shorten } from "../core/common/values.ts";
import { HttpError } from "../core/errors.ts";
import { PATH } from "../openapi/plugin.ts";
import type { Plugin, PluginContext } from "../core/types/plugin.ts";
import { ensureRecord } from "../core/request/record.ts";
import { errorResponse } from "../core/operation/failure.ts";
import { copyResponse, mutableResponse } from "../core/common/response.ts";
import { RouteFinder } from "../shared/route_finder.ts";
import type { FrameworkRequest } from "../core/types/request.ts";
import { requestFor, resultOf } from "./call.ts";
import { findTools, type McpTool, type Tool } from "./tools.ts";

export type { McpTool };

/** Options of {@linkcode mcp}. */
export interface McpOptions {
  /** The path of the tools. @default {"/mcp"} */
  readonly path?: string;
  /** The name and the version of the API, as agents see them. */
  readonly info?: { readonly name: string; readonly version: string };
  /**
   * The headers of the caller that a call passes on to its route, in addition to
   * `forwarded`, `x-forwarded-for` and `x-real-ip`. All others, such as `cookie`, are
   * dropped.
   *
   * @default {["authorization"]}
   */
  readonly headers?: readonly string[];
  /**
   * The origins of pages that may use the tools, such as `https://agent.example.com`,
   * in addition to `localhost`. Clients other than browsers send no origin.
   *
   * @default {[]}
   */
  readonly origins?: readonly string[];
  /**
   * Returns whether a caller may see and call a tool. Bough calls this function for every
   * tool at each message.
   *
   * @default {() => true}
   */
  readonly list?: (
    request: FrameworkRequest,
    tool: McpTool,
  ) => boolean | Promise<boolean>;
}

const LOCALHOST = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
/** The headers in which proxies record the address of the caller. */
const FORWARDED = ["forwarded", "x-forwarded-for", "x-real-ip"];

/**
 * Offers the methods that declare `mcp` to agents, at one path.
 *
 * @param options The path, the headers that calls pass on, and the tools that callers see.
 * @returns A plugin for the option `plugins` of `Framework`.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example Show tools only to callers with a token
 * ```ts
 * import { mcp } from "@bough/framework/mcp";
 *
 * mcp({ list: ({ headers }) => headers.has("authorization") });
 * ```
 */
export function mcp(options: McpOptions = {}): Plugin {
  checkOptions("offer tools", options, OPTIONS);
  const { path = "/mcp", origins = [], headers = ["authorization"] } = options;
  const passed = [...FORWARDED, ...headers];
  return {
    name: "mcp",
    routes: ({ routes, pluginRoutes, fetch }) => {
      const load = once(async () => {
        const [own, added] = await Promise.all([routes(), pluginRoutes()]);
        const { tools, omitted } = findTools(own, passed);
        for (const { path, message } of omitted) {
          log({ level: "warning", place: `MCP: "${path}"`, message });
        }
        const finder = new RouteFinder([...own, ...added]);
        return { tools, finder, options, passed, fetch };
      });
      const POST = async (request: FrameworkRequest) => {
        const origin = request.headers.get("origin");
        if (
          origin !== null && !LOCALHOST.test(origin) &&
          !origins.includes(origin)
        ) {
          throw new HttpError(
            403,
            "A page of an untrusted origin sent the message",
          );
        }
        // Reads the message within the limits of the application.
        const message = await request.text();
        // In a batch of the oldest revision, one message could cancel another, whose
        // response would never end.
        if (message.trimStart().startsWith("[")) {
          throw new HttpError(400, "Send one message, not a batch");
        }
        return await respond(request, message, await load());
      };
      return [{ path, handlers: { POST } }];
    },
  };
}

/** Responds to one message of an agent. */
async function respond(
  request: FrameworkRequest,
  message: string,
  { tools, finder, options, passed, fetch }: {
    readonly tools: readonly Tool[];
    readonly finder: RouteFinder;
    readonly options: McpOptions;
    /** The names of the headers to pass on. */
    readonly passed: readonly string[];
    readonly fetch: PluginContext["fetch"];
  },
): Promise<Response> {
  const { list = () => true, info = { name: "api", version: "1.0.0" } } =
    options;
  // Called outside the SDK, which would send the messages of errors in `list`.
  const isShown = await Promise.all(tools.map((tool) => list(request, tool)));
  const shown = tools.filter((_, index) => isShown[index]);
  let refusal: Response | undefined;

  async function call(name: string, input = {}): Promise<CallToolResult> {
    const tool = shown.find((tool) => tool.name === name);
    if (tool === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The tool "${shorten(name, 128)}" is unknown`,
      );
    }
    try {
      const inner = requestFor(tool, input, {
        request,
        headers: passed,
        finder,
      });
      ensureRecord(inner).isRouted = true;
      const response = await fetch(inner, request.info);
      if (response.status !== 401) return await resultOf(response);
      refusal = mutableResponse(response);
      const { headers: sent } = refusal;
      // A 401 must name a scheme (RFC 9110, 15.5.2), by which agents log in.
      if (!sent.has("www-authenticate")) sent.set("www-authenticate", "Bearer");
      return { content: [], isError: true };
    } catch (error) {
      return await resultOf(await errorResponse(error, request));
    }
  }

  const handler = createMcpHandler(() => {
    const server = new Server(info, {
      capabilities: { tools: {} },
      cacheHints: { "tools/list": { ttlMs: 60_000, cacheScope: "private" } },
    });
    server.setRequestHandler(
      "tools/list",
      () => ({ tools: shown.map(({ listed }) => listed) }),
    );
    server.setRequestHandler(
      "tools/call",
      ({ params }) => call(params.name, params.arguments),
    );
    return server;
    // The limit of the SDK would reject messages within a larger `bodyLimit`.
  }, { maxRequestBodySize: Number.MAX_SAFE_INTEGER });
  const { url, method, headers: own } = request;
  const response = await handler.fetch(
    new Request(url, { method, headers: own, body: message }),
  );
  // The older revision responds with a stream before the call has ended.
  const text = await response.text();
  return refusal ?? copyResponse(response, text || null);
}

const OPTIONS: Members<keyof McpOptions> = {
  path: PATH,
  info: objectWith(
    ["name", "version"],
    'must be an object such as { name: "Shop", version: "1.0.0" }',
  ),
  headers: listOf({
    accepts: (value) =>
      /^(?!(?:accept|connection|host)$|content-|transfer-)[\w-]+$/i
        .test(String(value)),
    expected:
      "must be the name of a header that describes neither the body nor the connection",
  }, 'must be an array of names, such as ["authorization"]'),
  origins: listOf({
    accepts: (value) => parseUrl(String(value))?.origin === value,
    expected: 'must be an origin such as "https://agent.example.com"',
  }, "must be an array of origins"),
  list: FUNCTION,
};
