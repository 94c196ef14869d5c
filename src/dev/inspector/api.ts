import { z } from "zod";
import config from "../../../deno.json" with { type: "json" };
import { findingsOf } from "../../cli/check/findings.ts";
import { inMatchingOrder, match } from "../../cli/explain.ts";
import { once } from "../../core/common/values.ts";
import { HttpError } from "../../core/errors.ts";
import { Framework } from "../../core/framework.ts";
import type { RequestHandler } from "../../core/request/application.ts";
import type { FrameworkRequest } from "../../core/types/request.ts";
import type { MethodSchema } from "../../core/types/schema.ts";
import { mcp } from "../../mcp/mod.ts";
import { copiesOf } from "./copies.ts";
import { pageFile } from "./page_files.ts";
import type { RequestEntry } from "./entry.ts";
import type { Recorder } from "./recorder.ts";
import {
  forAgents,
  isListed,
  shortenRequest,
  summarizeRequest,
} from "./request_data.ts";
import { describeRoute, summarizeRoute } from "./route_data.ts";
import { repeated, send, withSecrets } from "./send.ts";

export interface ApiContext {
  readonly app: Framework;
  readonly path: string;
  /** The URL that opens a file in the editor. */
  readonly editor: string;
  readonly recorder: Recorder;
  /** The handler of the server, which records its requests. */
  readonly handle: RequestHandler;
  /** Whether a URL is at or below the path of the inspector. */
  readonly isOwn: (url: string) => boolean;
}

const PATH = z.string().startsWith("/");

/** A new value shows the page that the program restarted. */
const START = crypto.randomUUID();

const Filter = z.object({
  method: z.string().toUpperCase().optional(),
  status: z.string().regex(/^[1-5](?:\d\d|xx)$/).optional()
    .describe("A status or a class, such as 404 or 4xx"),
  route: z.string().optional()
    .describe("A URL pattern, such as /api/orders/[orderId]"),
  text: z.string().optional()
    .describe("Any text of the request, its response, its error or its logs"),
  limit: z.coerce.number().int().min(1).max(200).default(20),
});

/** A page can send a form to any origin, but JSON only with a preflight request. */
const JsonType = z.object({
  "content-type": z.string().regex(/^application\/json\b/i),
});

const Sent = z.object({
  id: z.int().optional().describe("The recorded request to repeat"),
  secrets: z.record(z.string(), z.string()).default({})
    .describe("The values of the placeholders «name» in the request"),
  method: z.string().default("GET"),
  url: PATH.optional().describe("The path and the query of a new request"),
  headers: z.array(z.array(z.string()).length(2)).default([])
    .describe('Names and values, such as [["accept", "text/plain"]]'),
  body: z.string().optional().describe("Text; set content-type in the headers"),
}).refine(({ id, url }) => (id === undefined) !== (url === undefined), {
  error: 'pass either "id" or "url"',
});

/**
 * Creates the application that serves the page and the tools. Both share its routes:
 * `api/findings` is also the tool `list_findings`.
 */
export function createApi(
  { app, path, editor, recorder, handle, isOwn }: ApiContext,
): Framework {
  const inspect = once(() => app.inspect());
  const listRoutes = once(async () => {
    const { routes, pluginRoutes } = await inspect();
    return inMatchingOrder([...routes, ...pluginRoutes]);
  });
  const find = (id: number) => {
    const entry = recorder.get(id);
    if (entry !== undefined) return entry;
    const reason = "newer ones replaced it, or the program restarted";
    throw new HttpError(404, `Cannot find request ${id}: ${reason}`);
  };

  const manifest = {
    "route.ts": { GET: () => pageFile("page.html", path) },
    "[name]/route.ts": {
      GET: ({ params }: FrameworkRequest<"/[name]">) =>
        pageFile(params.name, path),
    },
    "api/requests/route.ts": get(
      { query: z.object({ after: z.coerce.number().default(0) }) },
      ({ url, validated: { query } }) => {
        const { version, requests } = recorder.list(query.after);
        const shown = requests.map((entry) => withCopies(entry, url));
        return { start: START, version, requests: shown };
      },
    ),
    "api/requests/[id]/route.ts": get(
      { params: z.object({ id: z.coerce.number().int() }) },
      // The entries of the list have no lines of source.
      ({ validated: { params } }) => find(params.id),
    ),
    "api/routes/route.ts": get({}, async () => {
      const routes = await listRoutes();
      const described = routes.map(({ info }) => describeRoute(info));
      return { start: START, editor, routes: described };
    }),
    "api/explain/route.ts": get(
      {
        query: z.object({ method: z.string().default("GET"), path: PATH }),
        mcp: {
          name: "explain_path",
          description:
            "Finds the route that a method and a path reach, with its status, params, middleware and security, and says why similar routes do not match. Sends nothing. Use it after an unexpected 404 or 405.",
        },
      },
      async ({ validated: { query } }) =>
        match(await listRoutes(), query.method, query.path),
    ),
    "api/findings/route.ts": get({
      mcp: {
        name: "list_findings",
        description:
          "Lists the errors and likely mistakes that `bough check` finds in the routes, with rule, file and remedy. Does not check types.",
      },
    }, async () => {
      const { errors, warnings } = await findingsOf(await inspect());
      return { findings: [...errors, ...warnings] };
    }),
    "api/send/route.ts": {
      schema: {
        post: {
          headers: JsonType,
          body: Sent,
          mcp: {
            name: "send_request",
            description:
              "Sends a request to the running application, and returns it as show_request does. Pass the id of a recorded request to repeat it, or the url of a new one. May change data. Waits up to 10 s for the response.",
          },
        },
      },
      POST: async (
        { url, info, validated: { body } }: FrameworkRequest<
          { body: typeof Sent }
        >,
      ) => {
        const { id, secrets, url: target = "", ...rest } = body;
        const outgoing = withSecrets(
          id === undefined
            ? { url: target, ...rest }
            : repeated(withCopies(find(id), url), secrets),
          secrets,
        );
        const { origin } = new URL(url);
        if (isOwn(origin + outgoing.url)) {
          throw new HttpError(400, "The inspector sends no requests to itself");
        }
        const sent = await send(outgoing, { origin, handle, info });
        const entry = find(recorder.idOf(sent)!);
        return Response.json(shortenRequest(forAgents(entry)));
      },
    },
    "tools/requests/route.ts": get(
      {
        query: Filter,
        mcp: {
          name: "list_requests",
          description:
            "Lists recent requests to the running application, newest first: id, method, url, status, route, milliseconds, and the first issue or error. Begin here to find out why a request failed, then call show_request. The inspector keeps the last 200 requests, until the program restarts.",
        },
      },
      ({ validated: { query } }) =>
        recorder.list().requests.map(forAgents)
          .filter((entry) => isListed(entry, query)).slice(0, query.limit)
          .map(summarizeRequest),
    ),
    "tools/requests/[id]/route.ts": get(
      {
        params: z.object({ id: z.coerce.number().int() }),
        mcp: {
          name: "show_request",
          description:
            "Shows one request: headers and body as sent, validated values, each issue, the error with its stack and source, logs, steps with their times, and the response. Placeholders such as «authorization» replace secrets; long texts are cut.",
        },
      },
      ({ validated: { params } }) => shortenRequest(forAgents(find(params.id))),
    ),
    "tools/routes/route.ts": get(
      {
        query: z.object({
          path: PATH.optional()
            .describe("The URL pattern of one route, to show all its details"),
        }),
        mcp: {
          name: "list_routes",
          description:
            "Lists the routes of the application with methods, file, middleware and security. With a path, describes that route: JSON Schemas, security, contracts, limits and permissions of each method.",
        },
      },
      async ({ validated: { query: { path } } }) => {
        const routes = (await listRoutes()).map(({ info }) => info);
        return path === undefined
          ? routes.map(summarizeRoute)
          : routes.filter((info) => info.path === path).map(describeRoute);
      },
    ),
  };
  return new Framework({
    apiPrefix: path,
    manifest,
    plugins: [mcp({
      path: `${path}/mcp`,
      info: { name: "bough-inspector", version: config.version },
    })],
    // The inspected application decides whether an uncaught error ends the program.
    exitOnUncaughtError: true,
  });
}

/** Adds the request as a command and as a test; `url` has the origin of the server. */
function withCopies(entry: RequestEntry, url: string): RequestEntry {
  return { ...entry, ...copiesOf(entry, new URL(url).origin) };
}

/** The exports of a route file whose `GET` responds with JSON. */
function get<const Schema extends MethodSchema>(
  schema: Schema,
  respond: (request: FrameworkRequest<Schema>) => unknown,
) {
  return {
    schema: { get: schema },
    GET: async (request: FrameworkRequest<Schema>) =>
      Response.json(await respond(request)),
  };
}
