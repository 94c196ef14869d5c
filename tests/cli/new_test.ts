import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join, toFileUrl } from "@std/path";
import { templateFiles } from "../../src/cli/generate/template.ts";
import { TestFolder } from "../support/application.ts";
import { createProject } from "./permissions/project.ts";
import { boughIn } from "./support.ts";

const ROOT = new URL("../../", import.meta.url);
const CONFIG = fromFileUrl(new URL("deno.json", ROOT));
const CREATE = fromFileUrl(new URL("src/cli/create.ts", ROOT));

function outputOf(folder: string, quoted = folder): string {
  return `Created "${folder}". Try it:

  cd ${quoted}
  deno task dev     # serves http://localhost:8000/docs, restarts on changes
  deno task test    # "deno task" lists all tasks`;
}

const FILES = [
  ".env",
  ".github/workflows/ci.yml",
  ".gitignore",
  "AGENTS.md",
  "README.md",
  "api.types.ts",
  "api/(staff)/middleware.ts",
  "api/(staff)/report/route.ts",
  "api/files/[...]/route.ts",
  "api/files/route.ts",
  "api/health/route.ts",
  "api/notes/[id]/route.ts",
  "api/notes/route.ts",
  "contract_test.ts",
  "deno.json",
  "dev.ts",
  "env.ts",
  "main.ts",
  "main_test.ts",
];

function filesBelow(folder: string, prefix = ""): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? filesBelow(join(folder, name), `${prefix}${name}/`)
      : [prefix + name]
  ).sort();
}

Deno.test("bough new writes a project only into an empty folder", async () => {
  await using folder = await TestFolder.create({
    "full/file": "kept",
    "file": "kept",
  });
  await Deno.mkdir(join(folder.path, "empty"));
  for (
    const [name, quoted] of [
      ["new/below", "new/below"],
      ["empty", "empty"],
      ["with space", '"with space"'],
    ] as const
  ) {
    assertEquals(await boughIn(folder.path, "new", name), {
      code: 0,
      stdout: outputOf(name, quoted),
      stderr: "",
    });
    const path = join(folder.path, name);
    assertEquals(filesBelow(path), FILES);
    const types = ["types", "-o", "api.types.ts", "--check"];
    assertEquals((await boughIn(path, ...types)).code, 0);
  }
  for (const name of ["full", "file", "empty"]) {
    assertEquals(await boughIn(folder.path, "new", name), {
      code: 2,
      stdout: "",
      stderr:
        `bough new: "${name}" is not an empty folder; name another folder`,
    });
  }
  assertEquals(filesBelow(join(folder.path, "full")), ["file"]);
  assertEquals(Deno.readTextFileSync(join(folder.path, "file")), "kept");
});

Deno.test("bough new keeps the files of a new repository", async () => {
  const own = {
    ".git/config": "git",
    ".github/workflows/ci.yml": "mine",
    ".gitignore": "/dist/",
    "AGENTS.md": "# Ours",
    "LICENSE": "MIT",
    "README.md": "# Mine",
  };
  await using folder = await TestFolder.create(own);
  assertEquals(await boughIn(folder.path, "new", "."), {
    code: 0,
    stdout: `${outputOf(".")}

Kept existing files: .gitignore, .github/workflows/ci.yml, README.md, AGENTS.md
Add "/.env" to .gitignore: the file .env contains secrets`,
    stderr: "",
  });
  assertEquals(
    filesBelow(folder.path),
    [...new Set([...FILES, ...Object.keys(own)])].sort(),
  );
  for (const [path, text] of Object.entries(own)) {
    assertEquals(Deno.readTextFileSync(join(folder.path, path)), text);
  }
});

Deno.test("a new project names all variables that are missing or invalid", async () => {
  const { "deno.json": _, ...files } = templateFiles();
  files["env.ts"] = files["env.ts"]!.replace(
    "STAFF_TOKEN: z.string(),",
    "$& DATABASE: z.url(), EMPTY: z.string(), WORKERS: z.coerce.number().int().default(2),",
  );
  await using folder = await createProject(files);
  const args = ["--config", join(folder.path, "deno.jsonc"), "main.ts"];
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...args],
    cwd: folder.path,
    env: { DATABASE: "here", EMPTY: "", WORKERS: "some", NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stderr);
  assertEquals(code, 1);
  assertStringIncludes(
    text,
    'Set these environment variables, for example in ".env":',
  );
  for (const name of ["STAFF_TOKEN", "DATABASE", "EMPTY", "WORKERS"]) {
    assertStringIncludes(text, `→ at ${name}\n`);
  }
});

Deno.test({
  name: "bough new escapes the name of a folder that is not empty",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({ "full\n\x1b[2J/file": "" });
    const { stderr } = await boughIn(folder.path, "new", "full\n\x1b[2J");
    assertEquals(
      stderr,
      'bough new: "full\\n\\u001b[2J" is not an empty folder; name another folder',
    );
  },
});

Deno.test({
  name: "bough new reports why it cannot create a folder",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({ "file": "" });
    await folder.link({ "link": "nowhere" });
    const long = "a".repeat(300);
    for (
      const [name, reason] of [
        ["link", "cannot be created: "],
        ["link/x", "cannot be created: "],
        ["file/x", "is not an empty folder; name another folder"],
        ["a\0b", "cannot be created: "],
        [long, "cannot be created: File name too long (os error 36)"],
      ] as const
    ) {
      const { code, stdout, stderr } = await boughIn(folder.path, "new", name);
      assertEquals([code, stdout], [2, ""]);
      const start = `bough new: "${name.replace("\0", "\\u0000")}" ${reason}`;
      assertEquals(stderr.slice(0, start.length), start);
    }
    assertEquals(filesBelow(folder.path), ["file", "link"]);
  },
});

Deno.test("a new project has the dependencies of Bough", async () => {
  const own = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  await using folder = await TestFolder.create({});
  await boughIn(folder.path, "new", "project");
  const text = await Deno.readTextFile(
    join(folder.path, "project", "deno.json"),
  );
  const serving = {
    net: ["0.0.0.0", "127.0.0.1"],
    env: ["HOST", "PORT", "STAFF_TOKEN"],
  };
  assertEquals(JSON.parse(text), {
    imports: {
      "#types": "./api.types.ts",
      "@bough/framework": `jsr:@bough/framework@^${own.version}`,
      "@std/assert": own.imports["@std/assert"],
      "zod": own.imports.zod,
    },
    tasks: {
      dev:
        "(deno check || true) & deno run -P=dev --no-prompt --env-file --watch=api dev.ts",
      start: "deno run -P=serve --no-prompt --env-file main.ts",
      test: "deno test -P=test --no-prompt",
      check:
        "deno run --allow-read --allow-env jsr:@bough/framework/cli types -o api.types.ts --check && deno check && deno run --allow-read --allow-env jsr:@bough/framework/cli check main.ts",
      routes:
        "deno run --allow-read --allow-env jsr:@bough/framework/cli routes main.ts",
      types:
        "deno run --allow-read --allow-write=api.types.ts jsr:@bough/framework/cli types -o api.types.ts",
      permissions:
        "deno task record main.ts --write=serve --as='authorization: Bearer change-me' $CHECK && deno task record dev.ts --write=dev --as='authorization: Bearer change-me' $CHECK && deno task record --write=test $CHECK -- deno test -A",
      "permissions:check": "CHECK=--check deno task permissions",
      record:
        "PORT=8001 deno run -A --env-file jsr:@bough/framework/cli permissions",
      bough: "deno run -A jsr:@bough/framework/cli",
    },
    permissions: {
      serve: { read: ["./api"], ...serving },
      test: { read: ["./api"], env: ["STAFF_TOKEN"] },
      dev: {
        read: ["."],
        write: ["./api.types.ts"],
        ...serving,
        env: ["DENO_DEPLOYMENT_ID", ...serving.env],
      },
    },
  });
  assertEquals(text, JSON.stringify(JSON.parse(text), null, 2) + "\n");
});

Deno.test("a new project passes its own deno fmt and deno lint", async () => {
  await using folder = await TestFolder.create(templateFiles());
  for (const args of [["fmt", "--check"], ["lint"]]) {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: folder.path,
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
  }
});

Deno.test("AGENTS.md of a new project names existing tasks, topics and files", async () => {
  const { "AGENTS.md": text, ...files } = templateFiles();
  const { tasks } = JSON.parse(files["deno.json"]!);
  const named = (pattern: RegExp) =>
    [...text!.matchAll(pattern)].map(([, name]) => name!);
  const names = named(/deno task (\w+)/g);
  for (const name of ["types", "check", "test", "dev"]) {
    assert(names.includes(name), `without the task "${name}"`);
  }
  assertEquals(names.filter((name) => !(name in tasks)), []);
  const topics = named(/bough docs (\w+)/g);
  assert(topics.includes("skill"), `without the topic "skill"`);
  for (const topic of topics) {
    assertEquals((await boughIn(".", "docs", topic)).code, 0, topic);
  }
  const paths = named(/`([\w./()[\]]+\.ts)`/g);
  assert(paths.length > 2, paths.join());
  const isMissing = (path: string) =>
    !Object.keys(files).some((file) => file.endsWith(path));
  assertEquals(paths.filter(isMissing), []);
  assert(text!.split("\n").length < 60, "not short");
});

Deno.test("the guard of a new project declares its security, which its route does not repeat", async () => {
  await using folder = await TestFolder.create({});
  await boughIn(folder.path, "new", "project");
  const project = join(folder.path, "project");
  const { code, stdout } = await boughIn(project, "check", "main.ts");
  assertEquals(
    [code, stdout],
    [
      0,
      'Checked 6 routes, 6 handlers, 1 middleware file, 3 plugin routes in "main.ts": nothing found',
    ],
  );
  const routes = await boughIn(project, "routes", "main.ts", "--json");
  const secured = JSON.parse(routes.stdout).filter((
    { operations: { get } }: { operations: { get?: { security?: unknown } } },
  ) => get?.security !== undefined);
  assertEquals(secured.length, 1);
  const [{ path, schema, operations: { get } }] = secured;
  const file = "api/(staff)/middleware.ts";
  assertEquals([path, schema, get.security.value], ["/api/report", {}, [{
    bearer: [],
  }]]);
  assertEquals(get.security.file.endsWith(file), true, get.security.file);
});

Deno.test("deno create also creates a project", async () => {
  await using folder = await TestFolder.create({});
  const create = () =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", CONFIG, CREATE, "project"],
      cwd: folder.path,
    }).output();
  const { code, stdout } = await create();
  assertEquals(code, 0);
  assertEquals(new TextDecoder().decode(stdout).trimEnd(), outputOf("project"));
  assertEquals(filesBelow(join(folder.path, "project")), FILES);
  assertEquals((await create()).code, 2);
  // An import must not create a project, or end the process.
  await import(toFileUrl(CREATE).href);
});
