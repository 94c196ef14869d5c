import { atCheck, atRequest, atRun, atStart } from "./show.ts";

export interface Mistake {
  readonly mistake: string;
  readonly when: "at startup" | "by `check`" | "in the log";
  /** The file or folder that the message must name. */
  readonly file: string;
  /** The part of the message that is the remedy. */
  readonly remedy: string;
  readonly show: () => Promise<string>;
}

const GET = "export const GET = () => new Response();";
const ZOD = `import { z } from "npm:zod@^4.2.0";`;
const MAIN = `import { Framework } from "@bough/framework";
await new Framework({ apiDir: "api" }).serve({ port: PORT });`;

function exporting(
  mistake: string,
  remedy: string,
  code: string,
  file = "users/route.ts",
): Mistake {
  return {
    mistake,
    when: "at startup",
    file,
    remedy,
    show: atStart({ "users/route.ts": GET, [file]: code }),
  };
}

/** A file or folder with a suspicious name. */
function named(mistake: string, remedy: string, file: string): Mistake {
  return {
    mistake,
    when: "at startup",
    file: remedy.includes("[") ? file.split("/").slice(0, -1).join("/") : file,
    remedy,
    show: atStart({ "route.ts": GET, [file]: GET }),
  };
}

const NAME_IT = 'name it "route" with ".ts", ".tsx", ".js" or ".jsx"';
const BRACKETS =
  'rename it to "[name]" for a parameter, or "[...]" for a wildcard';

export const MISTAKES: readonly Mistake[] = [
  named(
    "a file `routes.ts` or `Route.ts`, or a lone `index.ts`",
    NAME_IT,
    "users/routes.ts",
  ),
  named("a folder `:id`, `{id}` or `$id`", BRACKETS, "users/:id/route.ts"),
  {
    mistake: "a folder `[...slug]`",
    when: "at startup",
    file: "docs/[...slug]/route.ts",
    remedy: '"[...]"',
    show: atStart({ "docs/[...slug]/route.ts": GET }),
  },
  {
    mistake: "two files for one URL",
    when: "at startup",
    file: 'users/[id]/route.ts": "api/users/[name]/route.ts"',
    remedy: "keep one of them",
    show: atStart({
      "users/[id]/route.ts": GET,
      "users/[name]/route.ts": GET,
    }),
  },
  exporting(
    "`export function get()`",
    'name it "GET"',
    "export function get() { return new Response(); }",
  ),
  exporting(
    "a handler as the default export",
    "export handlers by the name of their method",
    "export default () => new Response();",
  ),
  exporting(
    "`export const schemas` instead of `schema`",
    'name it "schema"',
    `${ZOD} export const schemas = { get: { query: z.object({}) } }; ${GET}`,
  ),
  exporting(
    "a schema of the body of a `GET`",
    "declare a query, or move the schema to another method",
    `${ZOD} export const schema = { get: { body: z.object({}) } }; ${GET}`,
  ),
  {
    mistake: "an unknown name in a schema of `params`",
    when: "by `check`",
    file: "api/users/[id]/route.ts",
    remedy: "use the name in brackets",
    show: atCheck({
      "users/[id]/route.ts":
        `${ZOD} export const schema = { get: { params: z.object({ userId: z.string() }) } }; ${GET}`,
    }),
  },
  {
    mistake: "a number in the schema of a query",
    when: "by `check`",
    file: "api/books/route.ts",
    remedy: "accept a string, as z.coerce.number() does",
    show: atCheck({
      "books/route.ts":
        `${ZOD} export const schema = { get: { query: z.object({ page: z.number() }) } }; ${GET}`,
    }),
  },
  {
    mistake: "a handler that returns an object",
    when: "in the log",
    file: "api/users/route.ts",
    remedy: "return Response.json(",
    show: atRequest(
      { "users/route.ts": "export const GET = () => ({ name: 'Ada' });" },
      "/api/users",
    ),
  },
  {
    mistake: "a forgotten `return`",
    when: "in the log",
    file: "api/users/route.ts",
    remedy: 'is a "return" missing?',
    show: atRequest(
      { "users/route.ts": "export function GET() { Response.json({}); }" },
      "/api/users",
    ),
  },
  {
    mistake: "another request passed to `next()`",
    when: "in the log",
    file: "api/users/middleware.ts",
    remedy: "pass values with a RequestState",
    show: atRequest({
      "users/middleware.ts":
        "export default (request, next) => next(new Request(request));",
      "users/route.ts": GET,
    }, "/api/users"),
  },
  exporting(
    "a `middleware.ts` without a default export",
    "export default a function",
    "export const guard = (_, next) => next();",
    "users/middleware.ts",
  ),
  exporting(
    "a `contract` with `security`, but without a guard",
    "export the middleware as default",
    "export const contract = { security: [{ bearer: [] }] };",
    "users/middleware.ts",
  ),
  {
    mistake: "`security` of a route without a guard",
    when: "by `check`",
    file: "api/users/route.ts",
    remedy: "declare the security in the contract of the middleware",
    show: atCheck({
      "users/route.ts":
        `export const schema = { get: { security: [{ bearer: [] }] } }; ${GET}`,
    }),
  },
  {
    mistake: "a wrong `apiDir`",
    when: "at startup",
    file: "api",
    remedy: "set apiDir to the folder of your routes",
    show: () => atRun({ "main.ts": MAIN.replace("PORT", "0") }, ["-A"]),
  },
  {
    mistake: "a missing permission",
    when: "at startup",
    file: "api",
    remedy: "--allow-read=api",
    show: () =>
      atRun({ "main.ts": MAIN.replace("PORT", "0"), "api/route.ts": GET }, [
        "--allow-net",
      ]),
  },
  {
    mistake: "a port that is in use",
    when: "at startup",
    file: "in use",
    remedy: "choose another",
    show: async () => {
      using listener = Deno.listen({ hostname: "0.0.0.0", port: 0 });
      const { port } = listener.addr;
      const output = await atRun({
        "main.ts": MAIN.replace("PORT", `${port}`),
        "api/route.ts": GET,
      }, ["-A"]);
      return output.replaceAll(String(port), "8000");
    },
  },
];
