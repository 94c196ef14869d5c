import { atCheck, atRequest, atRun, atStart } from "./show.ts";

/** A mistake that is easily made. */
export interface Mistake {
  /** What is written, in Markdown. */
  readonly mistake: string;
  /** When one is told. */
  readonly told: "at the start" | "by `check`" | "at a request, in the log";
  /** The file or folder that has to be named. */
  readonly file: string;
  /** The part of what is shown that is the remedy. */
  readonly remedy: string;
  /** Makes it, and returns what is shown. */
  readonly show: () => Promise<string>;
}

const GET = "export const GET = () => new Response();";
const ZOD = `import { z } from "npm:zod@^4.1.13";`;
const MAIN = `import { Framework } from "@bough/framework";
await new Framework({ apiDir: "api" }).serve({ port: PORT });`;

/** A route file, or another, that is wrong by its exports. */
function exporting(
  mistake: string,
  remedy: string,
  code: string,
  file = "users/route.ts",
): Mistake {
  return {
    mistake,
    told: "at the start",
    file,
    remedy,
    show: atStart({ "users/route.ts": GET, [file]: code }),
  };
}

/** A file or folder with a name that serves nothing, or another URL than is meant. */
function named(mistake: string, remedy: string, file: string): Mistake {
  return {
    mistake,
    told: "at the start",
    file: remedy.includes("[") ? file.split("/").slice(0, -1).join("/") : file,
    remedy,
    show: atStart({ "route.ts": GET, [file]: GET }),
  };
}

const NAME_IT = 'name it "route" with ".ts", ".tsx", ".js" or ".jsx"';
const BRACKETS = 'name a parameter "[name]", a wildcard "[...]"';

/** The mistakes, in the order of the page. */
export const MISTAKES: readonly Mistake[] = [
  named("a file `routes.ts`", NAME_IT, "users/routes.ts"),
  named("a file `Route.ts`", NAME_IT, "users/Route.ts"),
  named("a file `index.ts`, alone in its folder", NAME_IT, "users/index.ts"),
  named("a folder `:id`", BRACKETS, "users/:id/route.ts"),
  named("a folder `{id}`", BRACKETS, "users/{id}/route.ts"),
  named("a folder `$id`", BRACKETS, "users/$id/route.ts"),
  {
    mistake: "a folder `[...slug]`",
    told: "at the start",
    file: "docs/[...slug]/route.ts",
    remedy: '"[...]"',
    show: atStart({ "docs/[...slug]/route.ts": GET }),
  },
  {
    mistake: "two files for one URL",
    told: "at the start",
    file: 'users/[id]/route.ts": "api/users/[name]/route.ts"',
    remedy: "keep one of them",
    show: atStart({
      "users/[id]/route.ts": GET,
      "users/[name]/route.ts": GET,
    }),
  },
  exporting(
    "a handler in lowercase: `export function get()`",
    'name it "GET"',
    "export function get() { return new Response(); }",
  ),
  exporting(
    "a handler as default export",
    "export handlers by the name of their method",
    "export default () => new Response();",
  ),
  exporting(
    "`export const schemas` in place of `schema`",
    'name it "schema"',
    `${ZOD} export const schemas = { get: { query: z.object({}) } }; ${GET}`,
  ),
  exporting(
    "a schema of the body of a `GET`",
    "declare a query, or move it to another method",
    `${ZOD} export const schema = { get: { body: z.object({}) } }; ${GET}`,
  ),
  {
    mistake: "a schema of `params` with another name than the folder",
    told: "by `check`",
    file: "api/users/[id]/route.ts",
    remedy: "use the name in brackets",
    show: atCheck({
      "users/[id]/route.ts":
        `${ZOD} export const schema = { get: { params: z.object({ userId: z.string() }) } }; ${GET}`,
    }),
  },
  {
    mistake: "a handler that returns an object",
    told: "at a request, in the log",
    file: "api/users/route.ts",
    remedy: "return Response.json(",
    show: atRequest(
      { "users/route.ts": "export const GET = () => ({ name: 'Ada' });" },
      "/api/users",
    ),
  },
  {
    mistake: "a forgotten `return`",
    told: "at a request, in the log",
    file: "api/users/route.ts",
    remedy: 'is a "return" missing?',
    show: atRequest(
      { "users/route.ts": "export function GET() { Response.json({}); }" },
      "/api/users",
    ),
  },
  {
    mistake: "a forgotten `return`, or an object in its place, in TypeScript",
    told: "by `check`",
    file: "api/users/route.ts",
    remedy: "Response",
    show: atCheck(
      { "users/route.ts": "export function GET() { Response.json({}); }" },
      "--types",
    ),
  },
  exporting(
    "a `middleware.ts` without a default export",
    "export default a function",
    "export const guard = (_, next) => next();",
    "users/middleware.ts",
  ),
  exporting(
    "a `contract` with `security`, and no guard beside it",
    "export default the middleware",
    "export const contract = { security: [{ bearer: [] }] };",
    "users/middleware.ts",
  ),
  {
    mistake: "`security` of a route that no guard is around",
    told: "by `check`",
    file: "api/users/route.ts",
    remedy: "declare it in the contract of the middleware",
    show: atCheck({
      "users/route.ts":
        `export const schema = { get: { security: [{ bearer: [] }] } }; ${GET}`,
    }),
  },
  {
    mistake: "an `apiDir` that is not there",
    told: "at the start",
    file: "api",
    remedy: "set apiDir to the folder of your routes",
    show: () => atRun({ "main.ts": MAIN.replace("PORT", "0") }, ["-A"]),
  },
  {
    mistake: "a missing permission",
    told: "at the start",
    file: "api",
    remedy: "--allow-read=api",
    show: () =>
      atRun({ "main.ts": MAIN.replace("PORT", "0"), "api/route.ts": GET }, [
        "--allow-net",
      ]),
  },
  {
    mistake: "a port that is in use",
    told: "at the start",
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
