/** The paths that handlers declare, and the types of their requests. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { call } from "../cli/support.ts";
import type { TestFolder } from "../support/application.ts";
import { type Subjects, writeFiles } from "./compiler.ts";

/** A handler that declares a path. */
function declaring(path: string): string {
  return `import type { FrameworkRequest } from "@bough/framework";
export const schema = { get: {} };
export function GET(request: FrameworkRequest<typeof schema.get, "${path}">): Response {
  return Response.json(request.params);
}`;
}

const PATHS: Readonly<Record<string, string>> = {
  "api/users/[id]/route.ts": declaring("/users/[id]"),
  "api/users/[id]/posts/route.ts":
    `import type { Handler } from "@bough/framework";
export const GET: Handler<"/people/[id]/posts"> = () => new Response();
export const POST: Handler = () => new Response();`,
  "api/people/[id]/route.ts": declaring("/users/[id]"),
  "api/(staff)/log/route.ts": declaring("/log"),
  "api/(staff)/logs/route.ts": declaring("/(staff)/logs"),
  "api/plain/route.ts":
    `import type { FrameworkRequest } from "@bough/framework";
export const GET = () => new Response();
export const POST = (request: Request) => new Response(request.url);
export const PUT = (request: FrameworkRequest) => new Response(request.url);`,
};

/** Handlers without annotations, of which some may return no response. */
const RESULTS: Readonly<Record<string, string>> = {
  "api/none/route.ts": "export function GET() { Response.json({}); }",
  "api/maybe/route.ts": `import type { RequestOf } from "../../types.ts";
export const schema = {};
export const POST = (request: RequestOf<"/maybe", "POST">) =>
  request.url ? new Response() : undefined;`,
  "api/good/[id]/route.ts": `import type { RequestOf } from "../../../types.ts";
export const GET = async (request: RequestOf<"/good/[id]", "GET">) =>
  new Response(await Promise.resolve(request.params.id));
export const DELETE = () => { throw new Error(); };
const query: PromiseLike<Response> = Promise.resolve(new Response());
export const PUT = () => query;`,
};

/** A handler that uses its request. */
function using(path: string, more = "", method = "GET"): string {
  return `import type { RequestOf } from "../../../../types.ts";
import { z } from "zod";
export const schema = { get: { query: z.object({ page: z.coerce.number() }) } };
export function GET(request: RequestOf<"${path}", "${method}">): Response {
  const tenant: string = request.validated.headers["x-tenant"];
  const { id } = request.params;
  const page: number = request.validated.query.page;
  ${more}
  return Response.json({ tenant, id, page });
}`;
}

const REQUESTS: Readonly<Record<string, string>> = {
  "api/(tenants)/middleware.ts": `import { z } from "zod";
export const contract = { headers: z.object({ "x-tenant": z.string() }) };`,
  "api/(tenants)/books/[id]/route.ts": using("/books/[id]"),
  "api/(tenants)/wrong/[id]/route.ts": using("/books/[id]"),
  "api/(tenants)/none/[id]/route.ts": using("/nones/[id]"),
  "api/(tenants)/more/[id]/route.ts": using(
    "/more/[id]",
    "request.params.nope; request.validated.body;",
  ),
  "api/(tenants)/other/[id]/route.ts": using("/other/[id]", "", "POST"),
};

/** Writes files, and the map of their routes to `types.ts`. */
async function write(
  folder: TestFolder,
  files: Readonly<Record<string, string>>,
): Promise<string[]> {
  await writeFiles(folder, files);
  await call(folder, "types -o types.ts");
  return ["types.ts"];
}

export const HANDLER_PATHS: Subjects = {
  "the compiler refuses a path that is not that of the folder": {
    write: (folder) => write(folder, PATHS),
    compare(errors) {
      const found = errors.map(({ message, code }) => [message, code]);
      assertEquals(found, [
        [
          `TS2344 [ERROR]: Type '"/users/[id]"' does not satisfy the constraint '"/people/[id]"'.`,
          `CheckPath<"/people/[id]", NamedPaths<Routes["people/[id]/route.ts"]>>,`,
        ],
        [
          `TS2344 [ERROR]: Type '"/people/[id]/posts"' does not satisfy the constraint '"/users/[id]/posts"'.`,
          `CheckPath<"/users/[id]/posts", NamedPaths<Routes["users/[id]/posts/route.ts"]>>,`,
        ],
      ]);
    },
  },
  "the compiler refuses a handler that may return no response": {
    write: (folder) => write(folder, RESULTS),
    compare(errors) {
      const output = errors.map(({ text }) => text).join("\n");
      assertEquals(errors.length, 2, output);
      for (const type of ["void", "Response | undefined"]) {
        assertStringIncludes(
          output,
          `Type '${type}' is not assignable to type 'Response | PromiseLike<Response>'.`,
        );
      }
    },
  },
  "RequestOf gives schema, params and the values of the folders": {
    async write(folder) {
      const types = await write(folder, REQUESTS);
      const paths = Object.keys(REQUESTS);
      return [...types, ...paths.filter((path) => path.endsWith("route.ts"))];
    },
    compare(errors) {
      const files = errors.map(({ file }) => file);
      assert(!files.includes("api/(tenants)/books/[id]/route.ts"));
      const output = errors.map(({ text }) => text).join("\n");
      for (
        const text of [
          `  CheckPath<"/wrong/[id]" | "/(tenants)/wrong/[id]", NamedPaths`,
          `Type '"/nones/[id]"' does not satisfy the constraint 'RoutePath<Routes, "if the path is new, run bough types">'`,
          `Type '"POST"' does not satisfy the constraint '"GET"'`,
          "Property 'nope' does not exist on type '{ id: string; }'",
          "Property 'body' does not exist on type",
        ]
      ) assertStringIncludes(output, text);
    },
  },
};
