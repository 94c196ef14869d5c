import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join, toFileUrl } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { templateFiles } from "../../src/cli/generate/template.ts";
import { TestFolder } from "../support/application.ts";
import { createProject } from "./permissions/project.ts";
import { call, COMMAND, runProgram } from "./support.ts";

const ROOT = new URL("../../", import.meta.url);
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
    const stdout = outputOf(name, quoted);
    const outcome = await call(folder, "new", name);
    assertEquals(outcome, { code: 0, stdout, stderr: "" });
    const path = join(folder.path, name);
    assertEquals(filesBelow(path), FILES);
    assertEquals((await call(path, "types -o api.types.ts --check")).code, 0);
  }
  for (const name of ["full", "file", "empty"]) {
    assertEquals(await call(folder, "new", name), {
      code: 2,
      stdout: "",
      stderr:
        `bough new: "${name}" is not an empty folder; name another folder`,
    });
  }
  // An unset variable is an empty name.
  const unset = await call(join(folder.path, "full"), "new", "");
  const [line] = unset.stderr.split("\n");
  assertEquals([unset.code, unset.stdout, line], [
    2,
    "",
    "bough new: name the folder to create",
  ]);
  for (
    const [place, name] of [[folder.path, "full"], [`${folder.path}/full`, "."]]
  ) {
    const outcome = await runProgram(
      place!,
      ...["--allow-write", "--allow-env", "--no-prompt"],
      ...[COMMAND, "new", name!],
    );
    assertEquals(outcome, {
      code: 2,
      stdout: "",
      stderr:
        `bough new: "${name}" cannot be created: Requires read access to "${name}", run again with the --allow-read flag`,
    });
  }
  assertEquals(filesBelow(join(folder.path, "full")), ["file"]);
  for (const path of ["file", "full/file"]) {
    assertEquals(Deno.readTextFileSync(join(folder.path, path)), "kept");
  }
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
  assertEquals(await call(folder, "new ."), {
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
  name: "bough new reports why it cannot create a folder, and escapes its name",
  ignore: Deno.build.os === "windows",
  async fn() {
    const control = "full\n\x1b[2J";
    await using folder = await TestFolder.create({
      "file": "",
      [`${control}/file`]: "",
    });
    await folder.link({ "link": "nowhere" });
    const long = "a".repeat(300);
    const before = filesBelow(folder.path);
    for (
      const [name, reason, shown = name] of [
        ["link", "cannot be created: "],
        ["link/x", "cannot be created: "],
        ["file/x", "is not an empty folder; name another folder"],
        ["a\0b", "cannot be created: ", "a\\u0000b"],
        [long, "cannot be created: File name too long (os error 36)"],
        [
          control,
          "is not an empty folder; name another folder",
          "full\\n\\u001b[2J",
        ],
      ] as const
    ) {
      const { code, stdout, stderr } = await call(folder, "new", name);
      assertEquals([code, stdout], [2, ""]);
      const start = `bough new: "${shown}" ${reason}`;
      assertEquals(stderr.slice(0, start.length), start);
    }
    assertEquals(filesBelow(folder.path), before);
  },
});

Deno.test("a new project has the dependencies of Bough", () => {
  const { "deno.json": text } = templateFiles();
  const serving = {
    net: ["0.0.0.0", "127.0.0.1"],
    env: ["HOST", "PORT", "STAFF_TOKEN"],
  };
  assertEquals(JSON.parse(text!), {
    imports: {
      "#types": "./api.types.ts",
      "@bough/framework": `jsr:@bough/framework@^${config.version}`,
      "@std/assert": config.imports["@std/assert"],
      "zod": config.imports.zod,
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
  assertEquals(text, JSON.stringify(JSON.parse(text!), null, 2) + "\n");
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
    assertEquals((await call(".", "docs", topic)).code, 0, topic);
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
  await call(folder, "new project");
  const project = join(folder.path, "project");
  const { code, stdout } = await call(project, "check main.ts");
  assertEquals(
    [code, stdout],
    [
      0,
      'Checked 6 routes, 6 handlers, 1 middleware file, 3 plugin routes in "main.ts": nothing found',
    ],
  );
  const routes = await call(project, "routes main.ts --json");
  const secured = JSON.parse(routes.stdout)
    .filter(({ operations: { get } }: { operations: { get?: object } }) =>
      get !== undefined && "security" in get
    );
  assertEquals(secured.length, 1);
  const [{ path, schema, operations: { get: { security } } }] = secured;
  assertEquals(
    [path, schema, security.value],
    ["/api/report", {}, [{ bearer: [] }]],
  );
  const file = "api/(staff)/middleware.ts";
  assertEquals(security.file.slice(-file.length), file);
});

Deno.test("deno create also creates a project", async () => {
  await using folder = await TestFolder.create({});
  const create = () => runProgram(folder.path, "-A", CREATE, "project");
  const { code, stdout } = await create();
  assertEquals([code, stdout], [0, outputOf("project")]);
  assertEquals(filesBelow(join(folder.path, "project")), FILES);
  assertEquals((await create()).code, 2);
  // An import must not create a project, or end the process.
  await import(toFileUrl(CREATE).href);
});
