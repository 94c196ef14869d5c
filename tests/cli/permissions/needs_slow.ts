/** Planted needs: `bough permissions` records each, and the server runs under the set. */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess, freePort } from "../../support/process.ts";
import { boughWith, type CommandOutcome } from "../support.ts";
import { application } from "./needs.ts";
import { createProject, setOf } from "./project.ts";

/** Records a project whose temporary files have another folder. */
function record(
  { path }: TestFolder,
  TMPDIR: string,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  const env = { TMPDIR, PORT: `${freePort()}` };
  return boughWith(
    env,
    path,
    "permissions",
    "main.ts",
    "--write=serve",
    ...args,
  );
}

function linesOf({ stdout, stderr }: CommandOutcome): number {
  return `${stdout}\n${stderr}`.trim().split("\n").length;
}

// Slow: it records an application twice and serves it three times, 9 CPU seconds.
Deno.test({
  name:
    "each of 28 planted needs is in the set, and --check names each that is not",
  // Other systems have one address for this machine, and other libraries.
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using temporary = await TestFolder.create({});
    const { files, entries } = application(temporary.path);
    await using folder = await createProject(files);
    const written = await record(folder, temporary.path);
    assertEquals(written.code, 0, written.stderr);
    const set = await setOf(folder, "serve");
    const all = Object.entries(set).flatMap(([kind, values]) =>
      (values as string[]).map((value) => `${kind} ${value}`)
    );
    // The program has another path if an installer started it.
    const found = all.filter((each) => each !== `run ${Deno.execPath()}`);
    assertEquals(
      new Set(found),
      new Set(entries.map(([kind, value]) => `${kind} ${value}`)),
    );
    assert(linesOf(written) <= 20, written.stderr);

    const env = { TMPDIR: temporary.path, PORT: `${freePort()}` };
    await using server = new DenoProcess(folder.path, ["-P=serve"], "main.ts", {
      config: join(folder.path, "deno.jsonc"),
      env,
    });
    await server.printed("Listening");
    const paths = Object.keys(files).filter((path) =>
      path.endsWith("route.js")
    );
    for (const path of paths) {
      const url = `http://127.0.0.1:${env.PORT}/${
        path.replace("/route.js", "")
      }`;
      const response = await fetch(url);
      assertEquals([path, response.status], [path, 200], server.output);
    }

    await folder.write("deno.jsonc", await withoutSets(folder));
    const checked = await record(folder, temporary.path, "--check");
    assertEquals(checked.code, 1, checked.stderr);
    assert(linesOf(checked) <= 20, checked.stderr);
    for (const [kind, value] of entries) {
      if (value === "jsr.io:443") continue; // without a list of hosts
      const flags = checked.stderr.split("\n")
        .find((line) => line.startsWith(`--allow-${kind}=`));
      const values = flags!.replace(/^.*?=/, "").split(",");
      // Files that exist now are named instead of their folder.
      const isNamed = values.some((each) =>
        each === value || each.startsWith(`${value}/`)
      );
      assert(isNamed, `no ${kind} ${value}: ${checked.stderr}`);
    }
  },
});

async function withoutSets({ path }: TestFolder): Promise<string> {
  const text = await Deno.readTextFile(join(path, "deno.jsonc"));
  return text.replace(/,\s*"permissions": \{[^]*\}(?=\s*\}\s*$)/, "");
}

// Slow: it records an application that reads 3,000 files, 4 CPU seconds.
Deno.test("a folder of 3,000 uploads is one entry", async () => {
  await using temporary = await TestFolder.create({});
  await using folder = await createProject({
    "api/route.js": `export function GET() {
  for (const { name } of Deno.readDirSync("uploads")) {
    Deno.readTextFileSync("uploads/" + name);
  }
  Deno.writeTextFileSync("uploads/" + crypto.randomUUID(), "");
  return new Response();
}`,
    "uploads/x": "",
  });
  for (let index = 0; index < 3_000; index++) {
    await Deno.writeTextFile(join(folder.path, `uploads/${index}.txt`), "");
  }
  const use = [
    ...["--", "deno", "eval"],
    'await fetch(`http://127.0.0.1:${Deno.env.get("PORT")}/api`)',
  ];
  const outcome = await record(folder, temporary.path, ...use);
  assertEquals(outcome.code, 0, outcome.stderr);
  assert(linesOf(outcome) <= 20, outcome.stderr);
  const { read, write } = await setOf(folder, "serve");
  assertEquals({ read, write }, {
    read: ["./api", "./uploads"],
    write: ["./uploads"],
  });
  const checked = await record(folder, temporary.path, "--check", ...use);
  assertEquals(checked.code, 0, checked.stderr);
});
