import { HttpError } from "@bough/framework";
import { mcp, type McpOptions } from "@bough/framework/mcp";
import type { CommonOptions } from "@bough/framework/types";
import { z } from "zod";
import { TestApplication, type TestModule } from "../support/application.ts";

const Book = z.object({ id: z.number(), title: z.string() });
const params = z.object({ bookId: z.coerce.number().int() });

export type Files = Readonly<Record<string, TestModule>>;

/** Routes behind a guard, and one without. */
export const FILES: Files = {
  "(staff)/middleware.ts": {
    contract: { security: [{ bearer: [] }], mcp: true },
    default: (request, next) => {
      if (request.headers.get("authorization") !== "Bearer s3cret") {
        throw new HttpError(401, "Show a token", {
          headers: { "www-authenticate": 'Bearer realm="staff"' },
        });
      }
      return next();
    },
  },
  "(staff)/books/[bookId]/route.ts": {
    schema: {
      get: { summary: "Read a book", params, response: { 200: Book } },
      put: {
        description: "Replaces a book",
        params,
        body: z.object({ title: z.string().min(1) }),
        response: { 200: Book, 204: {} },
        mcp: { name: "replace_book", title: "Replace" },
      },
      delete: { mcp: false },
    },
    GET: ({ validated }) =>
      Response.json({ id: validated.params.bookId, title: "Emma" }),
    PUT: ({ validated }) =>
      Response.json({ id: validated.params.bookId, ...validated.body }),
    DELETE: () => new Response(null, { status: 204 }),
  },
  "(staff)/books/featured/route.ts": {
    schema: { get: { mcp: false } },
    GET: () => Response.json("hidden"),
  },
  "search/route.ts": {
    schema: {
      get: {
        description: "Search the books",
        query: z.object({
          q: z.string(),
          tag: z.union([z.string(), z.array(z.string())]).optional(),
          limit: z.coerce.number().int().min(1).default(10),
        }),
        response: z.array(z.string()),
        mcp: { name: "search" },
      },
    },
    GET: ({ validated: { query } }) =>
      Response.json(
        [query.q, String(query.limit), ...[query.tag ?? []].flat()],
      ),
  },
};

/** Creates an application with `mcp()`. */
export function create(
  files: Files = FILES,
  options: McpOptions = {},
  application: CommonOptions = {},
): TestApplication {
  return TestApplication.of(files, { ...application, plugins: [mcp(options)] });
}

/** Sends a message to an application without a client. */
export async function post(
  application: TestApplication,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await application.fetch("/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

/** A request of the protocol. */
export const request = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params,
});
/** The single result in a response, which is JSON or an event stream. */
export async function resultOf(
  response: Response,
): Promise<Record<string, unknown>> {
  const text = await response.text();
  const json = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!;
  return JSON.parse(json).result;
}

/** The status and the body of a result; the text of an error is a problem document. */
export function outcomeOf<Body = unknown>(
  { content, structuredContent, isError }: {
    readonly content?: unknown;
    readonly structuredContent?: unknown;
    readonly isError?: unknown;
  },
): { readonly status: number; readonly body: Body } {
  if (isError !== true) {
    return structuredContent as ReturnType<typeof outcomeOf<Body>>;
  }
  const [{ text }] = content as [{ text: string }];
  const body = JSON.parse(text);
  return { status: body.status, body };
}
