import config from "../../../deno.json" with { type: "json" };
import { routeTypesText } from "./modules.ts";

const COMMAND = "jsr:@bough/framework/cli";
/** Allows all variables, since route files may read some when imported. */
const READING = "deno run --allow-read --allow-env";
/** Checks the types while the watcher runs, even if there are type errors. */
const CHECK_TYPES = "(deno check || true)";

/** The credentials of the requests whose permissions are recorded. */
const AS = "--as='authorization: Bearer change-me'";

/** The permissions of a server, for `serve({ env: true })` and `env.ts`. */
const SERVING = {
  net: ["0.0.0.0", "127.0.0.1"],
  env: ["HOST", "PORT", "STAFF_TOKEN"],
};

/** The file of types that `bough types` writes. */
const TYPES = "api.types.ts";

/** The files of a new project, by path, including the output of `bough types`. */
export function templateFiles(): Record<string, string> {
  const sources = sourceFiles();
  const paths = Object.keys(sources).filter((path) => path.startsWith("api/"));
  const { files = [], middleware = [] } = Object.groupBy(
    paths.map((path) => ({
      path,
      location: `/project/${path}`,
      folders: path.split("/").slice(1, -1),
    })),
    ({ path }) => path.endsWith("/route.ts") ? "files" : "middleware",
  );
  const types = routeTypesText({ files, middleware }, "/project");
  return { ...sources, [TYPES]: types };
}

function sourceFiles(): Record<string, string> {
  const project = {
    imports: {
      "#types": `./${TYPES}`,
      "@bough/framework": `jsr:@bough/framework@^${config.version}`,
      "@std/assert": config.imports["@std/assert"],
      "zod": config.imports.zod,
    },
    tasks: {
      dev:
        `${CHECK_TYPES} & deno run -P=dev --no-prompt --env-file --watch=api dev.ts`,
      start: "deno run -P=serve --no-prompt --env-file main.ts",
      test: "deno test -P=test --no-prompt",
      check:
        `${READING} ${COMMAND} types -o ${TYPES} --check && deno check && ${READING} ${COMMAND} check main.ts`,
      routes: `${READING} ${COMMAND} routes main.ts`,
      types:
        `deno run --allow-read --allow-write=${TYPES} ${COMMAND} types -o ${TYPES}`,
      permissions:
        `deno task record main.ts --write=serve ${AS} $CHECK && deno task record dev.ts --write=dev ${AS} $CHECK && deno task record --write=test $CHECK -- deno test -A`,
      "permissions:check": "CHECK=--check deno task permissions",
      // While `deno task dev` uses the default port.
      record: `PORT=8001 deno run -A --env-file ${COMMAND} permissions`,
      bough: `deno run -A ${COMMAND}`,
    },
    // The task `permissions` would write the same sets.
    permissions: {
      serve: { read: ["./api"], ...SERVING },
      test: { read: ["./api"], env: ["STAFF_TOKEN"] },
      dev: {
        read: ["."],
        write: [`./${TYPES}`],
        ...SERVING,
        env: ["DENO_DEPLOYMENT_ID", ...SERVING.env],
      },
    },
  };
  return {
    "deno.json": JSON.stringify(project, null, 2) + "\n",
    ".gitignore": "/.env\n/coverage/\n/node_modules/\n",
    ".env": "STAFF_TOKEN=change-me\n",
    ".github/workflows/ci.yml": `name: CI
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: denoland/setup-deno@v2
        with:
          deno-version: v2.x
      - run: deno fmt --check
      - run: deno lint
      - run: deno task check
      - run: deno task test
      - run: deno task permissions:check
        env:
          STAFF_TOKEN: change-me
`,
    "README.md": `# Notes

An HTTP API on [Bough](https://jsr.io/@bough/framework). \`deno task dev\` serves
the documentation at <http://localhost:8000/docs>. The inspector at
<http://localhost:8000/_bough> shows each request.

| task                    | does                                                  |
| ----------------------- | ----------------------------------------------------- |
| \`deno task dev\`         | checks the types, serves, and restarts at each change |
| \`deno task start\`       | serves, with the permissions of the set \`serve\`       |
| \`deno task test\`        | runs the tests                                        |
| \`deno task check\`       | checks the types and the routes                       |
| \`deno task routes\`      | lists the routes                                      |
| \`deno task types\`       | writes \`${TYPES}\`, for clients and handlers       |
| \`deno task permissions\` | records the sets, with requests that change no data   |
| \`deno task bough\`       | runs any command of Bough, such as \`openapi main.ts\`  |

- \`api/\` contains the routes: \`api/notes/[id]/route.ts\` serves \`/api/notes/42\`.
- \`main.ts\` creates the application, and \`dev.ts\` serves it during development.
- \`env.ts\` declares the environment variables, which \`.env\` sets on this
  machine. After adding a variable, add it to \`.github/workflows/ci.yml\`, and
  run \`deno task permissions\`.
- \`deno.json\` contains the tasks and the permission sets.
- \`.github/\` checks each push and each pull request.

\`deno task start\` listens on port 8000 of all addresses, \`deno task dev\` only on
this machine. The variables \`PORT\` and \`HOST\` override port and address.
`,
    "AGENTS.md": `# For agents

This is an HTTP API on Bough, a framework for Deno. Your memory of other
frameworks, and of other versions, does not apply. The pages of the installed
version do:

\`\`\`sh
deno task bough docs skill   # read this before you write a route
deno task bough docs         # lists the pages
deno task bough docs cookie  # lists the sections whose headings have a word
\`\`\`

After each change:

\`\`\`sh
deno fmt && deno lint
deno task types  # writes \`api.types.ts\`; never edit it
deno task check  # type errors, and likely mistakes with their remedies
deno task test   # tests, and requests that are generated from the schemas
\`\`\`

After a new variable, host or file, even a module outside \`api/\` that a route
imports, run \`deno task permissions\`: the tasks run with the permission sets of
\`deno.json\`. Without it, \`deno task start\` may fail although all tests pass. It
sends no \`POST\`, \`PUT\`, \`PATCH\` or \`DELETE\`, so a route declares what only these
need: \`export const permissions = { net: ["mail.example"] }\`.

\`deno task dev\` serves <http://localhost:8000>; it does not end.

Rules that agents get wrong:

- Fix the cause of a finding or of a failed test. Do not loosen a schema or skip
  an operation to hide it.
- Only a \`route.ts\` below \`api/\` serves a URL, and only a \`middleware.ts\`
  guards. \`security\` and \`access\` in a schema reject no request.
- Return \`respond(schema.post, 201, value)\`, and throw \`new HttpError(404)\`. A
  plain object is not a response.
- Declare each status that a handler sends: \`response: { 404: Problem }\`.
- Declare environment variables in \`env.ts\`, with values for this machine in
  \`.env\`, and for tests in \`main.ts\`.
- Give each user of the tests a name in \`contract_test.ts\`:
  \`as: { ada: { authorization: "…" } }\`.
`,
    "env.ts": `import { RequestState } from "@bough/framework";
import { z } from "zod";

/** The environment variables; \`serve()\` itself reads PORT and HOST. */
const schema = z.object({
  STAFF_TOKEN: z.string(),
});

export type Env = z.infer<typeof schema>;

/** The variables, for routes: \`env.get(request).STAFF_TOKEN\`. */
export const env = new RequestState<Env>("env");

/** The names of the variables. After a change, run \`deno task permissions\`. */
export const names: string[] = Object.keys(schema.shape);

/** Reads the variables. One error names all missing and invalid variables. */
export function readEnv(): Env {
  // An empty variable counts as missing.
  const values = names.map((name) => [name, Deno.env.get(name) || undefined]);
  const { data, error } = schema.safeParse(Object.fromEntries(values));
  if (data) return data;
  throw new Error(
    \`Set these environment variables, for example in ".env":\\n\${
      z.prettifyError(error)
    }\`,
  );
}
`,
    "main.ts": `import { Framework } from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import { type Env, env, names, readEnv } from "./env.ts";

/** Creates the application. Tests and commands need no variables. */
export function createApp(
  variables: Env = { STAFF_TOKEN: "change-me" },
): Framework {
  return new Framework({
    apiDir: new URL("./api/", import.meta.url),
    permissions: { env: names },
    middleware: [(request, next) => {
      env.set(request, variables);
      return next();
    }],
    plugins: [openapi({
      info: { title: "Notes", version: "0.1.0" },
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    })],
  });
}

export const app = createApp();

// Listens on PORT and HOST of the environment, or on port 8000. See the page /docs.
if (import.meta.main) await createApp(readEnv()).serve({ env: true });
`,
    "dev.ts":
      `/** For development: \`deno task dev\` restarts this module at every change. */
import { main as bough } from "@bough/framework/cli";
import { inspector, printRouteChanges } from "@bough/framework/dev";
import { readEnv } from "./env.ts";
import { createApp } from "./main.ts";

/** The application, for commands such as \`deno task permissions\`. */
export { app } from "./main.ts";

if (import.meta.main) {
  await bough(["types", "-o", "${TYPES}"]); // for clients and handlers
  const app = createApp(readEnv());
  await inspector(app); // http://localhost:8000/_bough
  await printRouteChanges(app);
  // The inspector requires an address of this machine. HOST overrides hostname.
  await app.serve({ hostname: "127.0.0.1", env: true });
}
`,
    "api/health/route.ts": `/** Static: \`GET /api/health\`. */
export function GET(): Response {
  return Response.json({ healthy: true });
}
`,
    "api/notes/route.ts": `import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";

export const schema = {
  post: {
    body: z.object({ text: z.string().min(1) }),
    response: { 201: z.object({ id: z.int(), text: z.string() }) },
  },
} satisfies RouteSchema;

/** With a schema: \`POST /api/notes\`. */
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { text } = request.validated.body;
  return respond(schema.post, 201, { id: 1, text });
}
`,
    "api/notes/[id]/route.ts": `import type { RequestOf } from "#types";

/** Dynamic: \`GET /api/notes/42\`. */
export function GET(request: RequestOf<"/notes/[id]", "GET">): Response {
  return Response.json({ id: request.params.id });
}
`,
    "api/files/route.ts":
      `/** A wildcard matches one or more segments; this file handles \`GET /api/files\`. */
export function GET(): Response {
  return Response.json([]);
}
`,
    "api/files/[...]/route.ts":
      `import type { FrameworkRequest } from "@bough/framework";

/** Wildcard: \`GET /api/files/css/site/main.css\`. */
export function GET(request: FrameworkRequest<"/files/[...]">): Response {
  return Response.json(request.wildcardParams);
}
`,
    "api/(staff)/middleware.ts": `import {
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { env } from "../../env.ts";

/** The guard's requirements: the page /docs shows them with every route of the group. */
export const contract = {
  security: [{ bearer: [] }],
  response: { 401: Problem },
} satisfies FolderContract;

/** Runs around every route of the group \`(staff)\`. */
const authenticate: Middleware = (request, next) => {
  const { STAFF_TOKEN } = env.get(request);
  if (request.headers.get("authorization") !== \`Bearer \${STAFF_TOKEN}\`) {
    throw new HttpError(401, "Show a token", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  return next();
};

export default authenticate;
`,
    "api/(staff)/report/route.ts":
      `/** In a group, which is not part of the URL: \`GET /api/report\`. */
export function GET(): Response {
  return Response.json({ notes: 1 });
}
`,
    "contract_test.ts":
      `/** Tests the application against its schemas; \`seed\` repeats a run. */
import { contractTests } from "@bough/framework/testing";
import { app } from "./main.ts";

contractTests(app, { as: { authorization: "Bearer change-me" }, runs: 50 });
`,
    "main_test.ts": `import { assertEquals } from "@std/assert";
import { app } from "./main.ts";

async function get(path: string, headers: HeadersInit = {}): Promise<unknown> {
  const request = new Request(\`http://localhost\${path}\`, { headers });
  const response = await app.fetch(request);
  return response.ok ? await response.json() : response.status;
}

Deno.test("each kind of route responds", async () => {
  assertEquals(await get("/api/health"), { healthy: true });
  assertEquals(await get("/api/notes/42"), { id: "42" });
  assertEquals(await get("/api/files/a/b"), ["a", "b"]);
});

Deno.test("the staff's report needs the token", async () => {
  assertEquals(await get("/api/report"), 401);
  const headers = { authorization: "Bearer change-me" };
  assertEquals(await get("/api/report", headers), { notes: 1 });
});

Deno.test("a note has a text", async () => {
  const post = (body: unknown) =>
    app.fetch(
      new Request("http://localhost/api/notes", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  assertEquals((await post({ text: "" })).status, 400);
  assertEquals((await post({ text: "Hello" })).status, 201);
});
`,
  };
}
