import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { mcp, type McpOptions } from "@bough/framework/mcp";
import type { CommonOptions } from "@bough/framework/types";
import { FolderApplication } from "../support/application.ts";

/** The newest revision of the protocol, which a client must ask for. */
export const NEWEST = "2026-07-28";

/** The revisions, as the option of the official client that chooses them. */
export const REVISIONS = [
  { name: "2025-11-25", options: {} },
  { name: NEWEST, options: { versionNegotiation: { mode: { pin: NEWEST } } } },
];

/** Routes behind a guard, and one without. */
export const FILES = {
  "(staff)/middleware.ts": `
    import { HttpError } from "@bough/framework";
    export const contract = { security: [{ bearer: [] }], mcp: true };
    export default (request, next) => {
      if (request.headers.get("authorization") !== "Bearer s3cret") {
        throw new HttpError(401, "Show a token", {
          headers: { "www-authenticate": 'Bearer realm="staff"' },
        });
      }
      return next();
    };`,
  "(staff)/books/[bookId]/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    const Book = z.object({ id: z.number(), title: z.string() });
    export const schema = {
      get: {
        summary: "Read a book",
        params: z.object({ bookId: z.coerce.number().int() }),
        response: { 200: Book },
      },
      put: {
        description: "Replaces a book",
        params: z.object({ bookId: z.coerce.number().int() }),
        body: z.object({ title: z.string().min(1) }),
        response: { 200: Book, 204: {} },
        mcp: { name: "replace_book", title: "Replace" },
      },
      delete: { mcp: false },
    };
    export const GET = ({ validated }) =>
      Response.json({ id: validated.params.bookId, title: "Emma" });
    export const PUT = ({ validated }) =>
      Response.json({ id: validated.params.bookId, ...validated.body });
    export const DELETE = () => new Response(null, { status: 204 });`,
  "(staff)/books/featured/route.ts": `
    export const schema = { get: { mcp: false } };
    export const GET = () => Response.json("hidden");`,
  "search/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = {
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
    };
    export const GET = ({ validated: { query } }) =>
      Response.json([query.q, String(query.limit), ...[query.tag ?? []].flat()]);`,
};

/** Creates an application with `mcp()`. */
export async function create(
  files: Readonly<Record<string, string>> = FILES,
  options: McpOptions = {},
  application: CommonOptions = {},
): Promise<FolderApplication> {
  const plugins = [mcp(options)];
  return await FolderApplication.create(files, { ...application, plugins });
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

/** How a client connects. */
export interface Connection {
  /** A member of `REVISIONS`; by default, the newest revision. */
  readonly options?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A connected official client, closed at the end of its test. */
export class TestClient implements AsyncDisposable {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** Connects over HTTP to a URL, or to an application in this process. */
  static async connect(
    to: string | FolderApplication,
    { options = REVISIONS[1]!.options, token, headers }: Connection = {},
  ): Promise<TestClient> {
    const client = new Client({ name: "test", version: "1.0.0" }, options);
    const url = typeof to === "string" ? to : "http://localhost/mcp";
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: {
          headers: {
            ...headers,
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
        },
        ...(typeof to !== "string" && {
          fetch: async (url: string | URL, init?: RequestInit) =>
            await to.app.fetch(new Request(url, init)),
        }),
      }),
    );
    return new TestClient(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
