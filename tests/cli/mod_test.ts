import { assertEquals, assertRejects } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { TestFolder } from "../support/application.ts";
import { boughIn, boughOnTerminal } from "./support.ts";

const OVERVIEW = `Usage: bough <command> [arguments]

  routes       Lists the routes, or shows which route a request reaches
  check        Finds errors that prevent startup, and likely mistakes
  build        Writes a manifest: a module that imports every route file
  types        Writes a map of the routes, for typed clients and handlers
  openapi      Prints the OpenAPI document
  diff         Finds the changes of an API that break its clients
  test         Tests an application against its own schemas
  permissions  Records the permissions of a server or a command as a set
  new          Creates a small project that runs
  docs         Prints a page of the documentation, or a section of it

Run "bough <command> --help" for details. Exit codes: 0 success, 1 findings, 2 misuse.`;

const NEW_HELP = `Usage: bough new <folder>

  folder           the folder to create; if it exists, it may only contain a README,
                   a license, AGENTS.md and names with a leading dot, such as
                   .git, which are kept`;

/** Calls, with the exit code and the outputs of each. */
const CALLS: readonly (readonly [
  args: readonly string[],
  code: number,
  stdout: string,
  stderr: string,
])[] = [
  [[], 2, OVERVIEW, ""],
  [["--help"], 0, OVERVIEW, ""],
  [["-h"], 0, OVERVIEW, ""],
  [["--version"], 0, config.version, ""],
  [["-V"], 0, config.version, ""],
  [["nope"], 2, "", `bough: unknown command "nope"\n\n${OVERVIEW}`],
  [
    ["new", "--help"],
    0,
    `Creates a small project that runs\n\n${NEW_HELP}`,
    "",
  ],
  [
    ["new", "-h", "x"],
    0,
    `Creates a small project that runs\n\n${NEW_HELP}`,
    "",
  ],
  [["new"], 2, "", `bough new: name the folder to create\n\n${NEW_HELP}`],
  [
    ["new", "x", "y"],
    2,
    "",
    `bough new: unexpected argument "y"\n\n${NEW_HELP}`,
  ],
  [
    ["new", "--other"],
    2,
    "",
    `bough new: unknown option "--other"\n\n${NEW_HELP}`,
  ],
  [
    ["new", "--a", "-b", "x"],
    2,
    "",
    `bough new: unknown option "--a"\n\n${NEW_HELP}`,
  ],
];

Deno.test("bough prints help if asked, and exits with 2 after misuse", async () => {
  await using folder = await TestFolder.create({});
  for (const [args, code, stdout, stderr] of CALLS) {
    const outcome = await boughIn(folder.path, ...args);
    assertEquals(outcome, { code, stdout, stderr }, args.join(" "));
  }
  assertEquals([...Deno.readDirSync(folder.path)], []);
});

Deno.test("bough accepts the prefix /, but rejects empty values", async () => {
  await using folder = await TestFolder.create({
    "routes/1/route.ts": "export const GET = () => new Response();",
    "01/route.ts": "export const POST = () => new Response();",
  });
  const urls = async (...args: string[]) => {
    const { stdout } = await boughIn(folder.path, "routes", "--json", ...args);
    return JSON.parse(stdout).map(({ path }: { path: string }) => path);
  };
  assertEquals(await urls("routes"), ["/api/1"]);
  assertEquals(await urls("routes", "--prefix=/"), ["/1"]);
  assertEquals(await urls("routes", "--prefix=v1=2"), ["/v1=2/1"]);
  assertEquals(await urls("routes", "--prefix", "v1/x"), ["/v1/x/1"]);
  // The name of a folder may be a number.
  assertEquals(await urls("01"), ["/api"]);
  for (
    const [name, option, printed = option] of [
      ["routes", "--match"],
      ["routes", "--prefix"],
      ["routes", "--prefix=", "--prefix"],
      ["build", "--output"],
      ["build", "-o", "--output"],
      ["openapi", "--title"],
      ["openapi", "--version"],
      ["openapi", "--title=", "--title"],
      ["check", "--allow"],
      ["check", "--allow=", "--allow"],
    ] as const
  ) {
    const empty = await boughIn(folder.path, name, "routes", option);
    assertEquals(
      [empty.code, empty.stdout, ...empty.stderr.split("\n").slice(0, 4)],
      [
        2,
        "",
        `bough ${name}: ${printed} needs a value`,
        "",
        `Usage: bough ${name} [apiDir] [options]`,
        "",
      ],
    );
  }
});

Deno.test("commands for an application accept one argument", async () => {
  await using folder = await TestFolder.create({});
  for (const name of ["routes", "check", "build", "openapi"]) {
    const { code, stdout, stderr } = await boughIn(folder.path, name, "a", "b");
    assertEquals([code, stdout], [2, ""]);
    assertEquals(
      stderr.split("\n")[0],
      `bough ${name}: unexpected argument "b"`,
    );
  }
});

Deno.test("bough exits with 1 if Bough cannot serve the folder", async () => {
  await using folder = await TestFolder.create({ "api/[x/route.ts": "" });
  const { code, stdout, stderr } = await boughIn(folder.path, "routes");
  assertEquals([code, stdout], [1, ""]);
  assertEquals(
    stderr,
    'Cannot serve "api/[x/route.ts": folder name "[x" is missing its "]"; use "name", "[name]", "[...]" or "(group)"',
  );
});

Deno.test("main() throws unexpected errors", async () => {
  await using folder = await TestFolder.create({
    "odd.js": `export const app = {
      fetch() {}, routes() {}, inspect() { throw new RangeError("odd"); },
    };`,
  });
  const run = () => boughIn(folder.path, "routes", "odd.js");
  await assertRejects(run, RangeError, "odd");
});

Deno.test("bough openapi prints a document, and warns of missing schemas", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.ts": `
      import { z } from "npm:zod@^4.2.0";
      export const schema = { get: { query: z.date() } };
      export const GET = () => new Response();`,
  });
  const bare = await boughIn(folder.path, "openapi");
  assertEquals(bare.code, 0);
  assertEquals(JSON.parse(bare.stdout).info, {
    title: "API",
    version: "0.0.0",
  });
  assertEquals(
    bare.stderr,
    'Warning: "api/a/route.ts": schema.get.query has no JSON Schema: JSON Schema cannot describe the type "date"',
  );
  const named = ["--title", "Books", "--version=2.0", "--prefix=v2"];
  const { stdout } = await boughIn(folder.path, "openapi", "api", ...named);
  const { info, paths } = JSON.parse(stdout);
  assertEquals(info, { title: "Books", version: "2.0" });
  assertEquals(Object.keys(paths), ["/v2/a"]);
});

Deno.test({
  name: "bough prints colours only to a terminal",
  // Deno reads the variable NO_COLOR only at startup.
  ignore: Deno.noColor,
  async fn() {
    await using folder = await TestFolder.create({
      "api/[x/route.ts": "",
      "api/files/[...]/route.ts": "export const GET = () => new Response();",
      "api/routes.ts": "",
    });
    const shown = await boughOnTerminal(folder.path, "check");
    assertEquals(
      shown.stdout.split("\n").map((line) => line.split(" ")[0]),
      ["\x1b[31merror\x1b[0m", "\x1b[33mwarning\x1b[0m"],
    );
    await Deno.remove(`${folder.path}/api/[x`, { recursive: true });
    const table = await boughOnTerminal(folder.path, "routes");
    const head = "METHODS  URL               FILE";
    assertEquals(table.stdout.split("\n")[0], `\x1b[1m${head}\x1b[0m`);
    const plain = await boughIn(folder.path, "routes");
    assertEquals(plain.stdout.split("\n")[0], head);
  },
});
