/** Help, misuse, and the folders that all commands accept. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { TestFolder } from "../support/application.ts";
import { bough, boughIn, boughOnTerminal, call } from "./support.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const GET = `export const GET = () => new Response("x");`;

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

const USAGES: Readonly<Record<string, string>> = {
  new: "Usage: bough new <folder>",
  ...Object.fromEntries(
    ["routes", "check", "build", "types", "openapi"].map((name) => [
      name,
      `Usage: bough ${name} [apiDir] [options]`,
    ]),
  ),
};

Deno.test("bough prints help and its version if asked", async () => {
  const help = `Creates a small project that runs\n\n${NEW_HELP}`;
  for (
    const [line, stdout] of [
      ["--help", OVERVIEW],
      ["-h", OVERVIEW],
      ["--version", config.version],
      ["-V", config.version],
      ["new --help", help],
      ["new -h x", help],
    ] as const
  ) assertEquals(await call({}, line), { code: 0, stdout, stderr: "" }, line);
  assertEquals(await boughIn(ROOT), { code: 2, stdout: OVERVIEW, stderr: "" });
  // A separate process prints the same.
  const { code, stdout } = await bough(ROOT, "--help");
  assertEquals([code, stdout], [0, OVERVIEW]);
  for (const [, name] of stdout.matchAll(/^ {2}(\w+)/gm)) {
    const { code, stdout } = await call(ROOT, `${name} --help`);
    assertEquals(code, 0);
    assertStringIncludes(stdout, `Usage: bough ${name}`);
  }
});

/** Wrong calls, and the line that they print after the name of the command. */
const MISUSES: readonly (readonly [message: string, ...lines: string[]])[] = [
  ["name the folder to create", "new"],
  ['unexpected argument "y"', "new x y"],
  ['unexpected argument "b"', "routes a b", "check a b", "build a b"],
  ['unexpected argument "b"', "openapi a b"],
  ['unknown option "--other"', "new --other", "new --other -b x"],
  [
    'file "missing.ts" does not exist; name the folder of the routes, or the module that exports the application',
    "routes missing.ts",
  ],
  ["--match needs a value", "routes --match"],
  ["--prefix needs a value", "routes --prefix", "routes --prefix="],
  ["--output needs a value", "build --output", "build -o"],
  ["--title needs a value", "openapi --title", "openapi --title="],
  ["--version needs a value", "openapi --version"],
  ["--allow needs a value", "check --allow", "check --allow="],
  [
    '--openapi-version must be 3.1 or 3.2, got "3"',
    "openapi --openapi-version=3",
  ],
  ...["a?b", "[x]"].map((prefix) =>
    [
      `Cannot create the Framework: apiPrefix must have static segments without escapes, such as "api/v1", got "${prefix}"`,
      `openapi --prefix=${prefix}`,
      `check --prefix=${prefix}`,
    ] as const
  ),
  [
    '--prefix needs a folder; remove the option, since "main.ts" sets its own prefix',
    "check main.ts --prefix=v2",
  ],
  [
    'name the folder of the routes, not "main.ts": the module may import the manifest',
    "build main.ts",
  ],
  [
    'name the folder of the routes, not "main.ts": the map needs only the names of files',
    "types main.ts",
  ],
  [
    "--check has no file to compare; add --output=<file>",
    "build --check",
    "types --check",
  ],
  [
    'cannot read "api": the path is not a file',
    "build --check -o api",
    "build -o api",
  ],
  [
    'cannot write "out/m.ts": folder "out" does not exist; create it first',
    "build -o out/m.ts",
  ],
  ...["x", "GET", "GET api", "GET /a b", "(GET) /", "@ /a"].map((request) =>
    [
      `--match must be a method and a path, such as "GET /api/users/42", got "${request}"`,
      `routes --match=${request}`,
    ] as const
  ),
];

Deno.test("bough exits with 2 after misuse, with the help of the command", async () => {
  const files = { "api/a/route.ts": GET, "main.ts": "" };
  await using folder = await TestFolder.create(files);
  for (const [message, ...lines] of MISUSES) {
    for (const line of lines) {
      const [first, ...match] = line.split(/ (?=--match=)/);
      const { code, stdout, stderr } = await call(folder, first!, ...match);
      const [name] = line.split(" ");
      assertEquals(
        [code, stdout, ...stderr.split(/\n+/).slice(0, 2)],
        [2, "", `bough ${name}: ${message}`, USAGES[name!]],
        line,
      );
    }
  }
  assertEquals(await call(folder, "nope"), {
    code: 2,
    stdout: "",
    stderr: `bough: unknown command "nope"\n\n${OVERVIEW}`,
  });
  const names = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
  assertEquals(names.sort(), ["api", "main.ts"]);
});

Deno.test("bough accepts the prefix /, and the number of a folder", async () => {
  await using folder = await TestFolder.create({
    "routes/1/route.ts": GET,
    "01/route.ts": GET,
  });
  const urls = async (line: string) => {
    const { stdout } = await call(folder, `routes --json ${line}`);
    return JSON.parse(stdout).map(({ path }: { path: string }) => path);
  };
  assertEquals(await urls("routes"), ["/api/1"]);
  assertEquals(await urls("routes --prefix=/"), ["/1"]);
  assertEquals(await urls("routes --prefix=v1=2"), ["/v1=2/1"]);
  assertEquals(await urls("routes --prefix v1/x"), ["/v1/x/1"]);
  assertEquals(await urls("01"), ["/api"]);
});

Deno.test("commands accept an empty folder, spaces, Unicode, and a folder elsewhere", async () => {
  const api = "../my api ü";
  await using folder = await TestFolder.create({
    "my api ü/a b/é[1.ts": "",
    "my api ü/a b/route.ts": GET,
    "my api ü/x#%?y/route.ts": GET,
    "elsewhere/keep": "",
    "broken/[x/route.ts": GET,
  });
  await Deno.mkdir(join(folder.path, "empty"));
  for (const name of ["routes", "check", "build", "openapi"]) {
    const { code } = await call(folder, `${name} empty`);
    assertEquals(code, name === "check" ? 1 : 0, name);
    const missing = await call(folder, `${name} missing`);
    assertEquals(missing.code, 1, name);
    const { stdout, stderr } = missing;
    assertStringIncludes(stdout + stderr, "the folder does not exist");
  }
  assertEquals(await call(folder, "routes broken"), {
    code: 1,
    stdout: "",
    stderr:
      'Cannot serve "broken/[x/route.ts": folder name "[x" is missing its "]"; use "name", "[name]", "[...]" or "(group)"',
  });
  const elsewhere = join(folder.path, "elsewhere");
  const listed = await call(elsewhere, "routes", `${api}/`);
  assertEquals(listed.code, 0);
  assertStringIncludes(listed.stdout, "/api/a b");
  assertEquals((await call(elsewhere, "check", api)).code, 0);
  const built = await call(elsewhere, "build -o a.manifest.ts", api);
  assertEquals(built, { code: 0, stdout: "", stderr: "" });
  const { default: manifest } = await import(
    `file://${elsewhere}/a.manifest.ts`
  );
  assertEquals(Object.keys(manifest), ["a b/route.ts", "x#%?y/route.ts"]);
  assertEquals(typeof manifest["x#%?y/route.ts"].GET, "function");
});

Deno.test({
  name: "bough prints colours only to a terminal",
  // Deno reads the variable NO_COLOR only at startup.
  ignore: Deno.noColor,
  async fn() {
    await using folder = await TestFolder.create({
      "api/[x/route.ts": "",
      "api/files/[...]/route.ts": GET,
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
    const plain = await call(folder, "routes");
    assertEquals(plain.stdout.split("\n")[0], head);
  },
});
