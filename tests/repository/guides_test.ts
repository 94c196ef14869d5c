/** Runs the commands of the pages, and looks up their links and tasks. */
import { assert, assertEquals } from "@std/assert";
import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative } from "@std/path";
import { templateFiles } from "../../src/cli/generate/template.ts";
import { boughIn } from "../cli/support.ts";
import { documentedFiles } from "../../tools/test_files.ts";
import { TestFolder } from "../support/application.ts";
import { curl } from "../support/curl.ts";
import { type Command, Page } from "../support/pages.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const ROOT = new URL("../../", import.meta.url);
const CONFIG = fromFileUrl(new URL("deno.json", ROOT));
const { imports, publish, tasks } = JSON.parse(await Deno.readTextFile(CONFIG));
const PAGES = await Page.all();
/** The pages for users; the others are for contributors. */
const GUIDES = PAGES.filter(({ path }) => !path.startsWith(".github/"));

const MAIN = `import { Framework } from "@bough/framework";
const app = new Framework({ apiDir: "api" });
await app.serve();
`;

const BOOKSHOP = `import { app } from "${new URL(
  "examples/bookshop/main.ts",
  ROOT,
)}";
await app.serve();
`;

const REALWORLD = `import { createApp } from "${new URL(
  "examples/realworld/main.ts",
  ROOT,
)}";
await createApp().serve();
`;

/** `tests/publish/first_hour_slow.ts` does what this page says, with a registry. */
const FIRST_HOUR = "src/guide/first_hour.md";
const NEW_TASKS = JSON.parse(templateFiles()["deno.json"]!).tasks;

/** Commands that do not run here: they need the registry, do not end, or leave a file. */
const NOT_RUN =
  /^deno (?:add|create|install) |^deno run .*(?:--watch|jsr:|main\.ts .)/;

/** Runs Deno in a folder; it has to succeed. Returns the lines that it prints. */
async function deno(
  folder: string,
  args: readonly string[],
): Promise<string[]> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [args[0]!, "--config", CONFIG, ...args.slice(1)],
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  const printed = decoder.decode(stdout);
  assertEquals(code, 0, printed + decoder.decode(stderr));
  return printed.split("\n");
}

function assertShown(
  { line, shown }: Command,
  printed: readonly string[],
): void {
  for (const text of shown) {
    assert(
      printed.includes(text),
      `${line}\nshould print\n${text}\nbut prints\n${printed.join("\n")}`,
    );
  }
}

/** Runs commands of a page, in order, in the folder of its files. */
async function runAll(
  commands: readonly Command[],
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const port = freePort();
  const main = (files["main.ts"] ?? MAIN)
    .replace("serve({", `serve({ port: ${port},`)
    .replace("serve()", `serve({ port: ${port} })`);
  const calls = Object.entries(files).map(([name, code]) =>
    [name, code.replaceAll("localhost:8000", `localhost:${port}`)] as const
  );
  await using folder = await TestFolder.create({
    ...Object.fromEntries(calls),
    "main.ts": main,
  });
  await Deno.mkdir(join(folder.path, "api"), { recursive: true });
  let server: DenoProcess | undefined;
  try {
    for (const command of commands) {
      const { line } = command;
      if (/^deno run .* main\.ts$/.test(line) && !NOT_RUN.test(line)) {
        await server?.[Symbol.asyncDispose]();
        const flags = line.replaceAll(":8000", `:${port}`).split(" ");
        server = new DenoProcess(folder.path, flags.slice(2, -1));
        await server.printed("Listening");
        const output = server.output.replaceAll(String(port), "8000");
        assertShown(command, output.split("\n"));
      } else if (/^deno run [^:]* \w+\.ts$/.test(line) && !NOT_RUN.test(line)) {
        server ??= await DenoProcess.listening(folder.path);
        const args = [...line.split(" ").slice(1, -1), "--no-check"];
        const program = line.slice(line.lastIndexOf(" ") + 1);
        assertShown(command, await deno(folder.path, [...args, program]));
      } else if (line.startsWith("curl ")) {
        server ??= await DenoProcess.listening(folder.path);
        assertShown(command, await curl(line, port));
      } else if (line.startsWith("bough ")) {
        assertShown(command, await runBough(folder.path, line));
      } else if (line.startsWith("deno test ")) {
        // `tests/type_check/` checks the types of all pages together.
        const flags = [...line.split(" ").slice(1), "--no-check"];
        await deno(folder.path, [...flags, "."]);
      } else {
        assert(NOT_RUN.test(line), `Nothing is known of "${line}"`);
      }
    }
  } finally {
    await server?.[Symbol.asyncDispose]();
  }
}

/** Runs the command as a page shows it; it may find something. */
async function runBough(folder: string, line: string): Promise<string[]> {
  const args = line.match(/"[^"]*"|\S+/g)!.slice(1);
  const { code, stdout, stderr } = await boughIn(
    folder,
    ...args.map((arg) => arg.replaceAll('"', "")),
  );
  assert(code !== 2, stderr);
  return [...stdout.split("\n"), ...stderr.split("\n")];
}

function isOfExample(page: Page, { heading }: Command): boolean {
  return page.path.startsWith("examples/") || /bookshop/.test(heading);
}

for (const page of GUIDES) {
  if (page.path === FIRST_HOUR) continue;
  const { commands } = page;
  // Parts of an example do not run without the rest.
  const files = Object.fromEntries(
    Object.entries(page.files).filter(([name]) => !isOfRepository(name)),
  );
  const own = commands.filter((command) => !isOfExample(page, command));
  const shop = commands.filter((command) => isOfExample(page, command));
  if (own.length > 0) {
    Deno.test(`the commands of ${page.path} print what the page shows`, async () => {
      await runAll(own, { ...await recipeOf(page), ...files });
    });
  }
  if (shop.length > 0) {
    const isRealworld = page.path.startsWith("examples/realworld/");
    const [name, main] = isRealworld
      ? ["RealWorld", REALWORLD]
      : ["the bookshop", BOOKSHOP];
    Deno.test(`the commands of ${page.path} print what the page shows of ${name}`, async () => {
      // In this order: the responses are those of a program just started.
      await runAll(shop, { "main.ts": main });
    });
  }
}

/** The files of the recipe that a page shows, if it shows a single one. */
async function recipeOf({ files }: Page): Promise<Record<string, string>> {
  const [name, ...others] = new Set(
    Object.keys(files).map((file) =>
      /^examples\/recipes\/\w+\//.exec(file)?.[0]
    ),
  );
  if (name === undefined || others.length > 0) return {};
  const folder = fromFileUrl(new URL(name, ROOT));
  const recipe: Record<string, string> = {};
  for await (const { path } of walk(folder, { includeDirs: false })) {
    recipe[relative(folder, path)] = await Deno.readTextFile(path);
  }
  // Run as a program, a recipe may need secrets.
  const program = `import { app } from "./recipe.ts";\nawait app.serve();\n`;
  return { ...recipe, "recipe.ts": recipe["main.ts"]!, "main.ts": program };
}

/** Whether a page shows a file of the repository by this name, or a part of it. */
function isOfRepository(file: string): boolean {
  return file.startsWith("examples/");
}

Deno.test("the examples contain their code on the pages", async () => {
  for (const { path, files } of GUIDES) {
    for (const [name, code] of Object.entries(files)) {
      if (!isOfRepository(name)) continue;
      const shown = code.slice(code.indexOf("\n") + 1);
      const text = await Deno.readTextFile(new URL(name, ROOT));
      assert(text.includes(shown), `${path} shows another text of ${name}`);
    }
  }
});

Deno.test("tests run every snippet of a page", async () => {
  const documented = await documentedFiles();
  for (const { path, snippets, files } of GUIDES) {
    const named = snippets.filter(({ file }) => file !== undefined);
    assertEquals(
      named.length,
      Object.keys(files).length,
      `a file twice: ${path}`,
    );
    const isDocTested = documented.includes(path);
    for (const { language, isIgnored, file, code } of snippets) {
      if (!/^[jt]sx?$/.test(language)) continue;
      assert(
        file !== undefined || isDocTested && !isIgnored,
        `A snippet of ${path} does not name its file:\n${code}`,
      );
    }
  }
});

Deno.test("the pages name only existing tasks", async () => {
  for (const { path, text } of PAGES) {
    for (const [, name] of text.matchAll(/\bdeno(?:@\S+)? task ([a-z:]+)/g)) {
      assert(name! in tasks || name! in NEW_TASKS, `${path}: ${name}`);
    }
  }
  const run = await Deno.readTextFile(new URL(".ci/run", ROOT));
  assert(run.includes("npx -y deno@2.9.6 task test --coverage\n"));
  assert(
    run.includes("npx -y deno@2.9.6 task test:slow || [ $? -eq 2 ]\n"),
  );
});

Deno.test("the pages link only to existing files and sections", async () => {
  const broken: string[] = [];
  for (const page of PAGES) {
    for (const link of page.links) {
      if (/^[a-z]+:/.test(link)) continue;
      const target = new URL(link, page.url);
      const anchor = decodeURIComponent(target.hash.slice(1));
      target.hash = "";
      const isThere = await Deno.stat(target).then(() => true, () => false);
      const to = PAGES.find(({ url }) => url.href === target.href);
      if (!isThere || anchor !== "" && !to?.anchors.has(anchor)) {
        broken.push(`${page.path}: ${link}`);
      }
    }
  }
  assertEquals(broken, []);
});

Deno.test("the README, which is the package's page, links only to published files", () => {
  const { links, pictures } = PAGES.find(({ path }) => path === "README.md")!;
  const targets = [...links, ...pictures.map(({ source }) => source)]
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => link.replace(/^\.\//, ""));
  const unpublished = targets.filter((target) =>
    !publish.include.some((path: string) =>
      path.endsWith("/") ? target.startsWith(path) : target === path
    )
  );
  assertEquals(unpublished, []);
  assert(targets.length > 15, `only ${targets.length} links`);
});

Deno.test("the page of versions names the versions of the tests", async () => {
  const page = PAGES.find(({ path }) => path === "src/guide/versions.md")!;
  const run = await Deno.readTextFile(new URL(".ci/run", ROOT));
  const [, deno] = /deno@(\S+)/.exec(run)!;
  assert(page.text.includes(`| ${deno} `), deno);
  for (const label of ["zod", "Valibot", "Hono"]) {
    const [, major] = /@\^(\d+)\./.exec(imports[label.toLowerCase()])!;
    const row = page.text.split("\n").find((line) =>
      line.startsWith(`| ${label}`)
    )!;
    assert(new RegExp(`\\| ${major}[^|]*\\| ${major}\\.\\d+ `).test(row), row);
  }
});
