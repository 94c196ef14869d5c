/** A command replaces only files that it has written. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";

const GET = "export const GET = () => new Response();";
const COMMANDS = [["build"], ["types"], ["types", "--standalone"]];

for (const command of COMMANDS) {
  Deno.test(`bough ${command.join(" ")} replaces only files that it has written`, async () => {
    await using folder = await TestFolder.create({
      "api/a/route.ts": GET,
      "notes.ts": `// Written by hand\nconst a = 1;\n// Written by "bough ${
        command[0]
      }"`,
      "empty.ts": "",
      "other.ts": '// Written by "bough other" from somewhere\n',
    });
    const at = (name: string) => join(folder.path, name);
    const write = (...args: string[]) =>
      boughIn(folder.path, ...command, ...args);
    for (const name of ["api/a/route.ts", "notes.ts", "other.ts"]) {
      const before = await Deno.readTextFile(at(name));
      const { code, stderr } = await write("-o", name);
      assertEquals(code, 2);
      assertStringIncludes(
        stderr,
        `bough ${
          command[0]
        }: cannot write "${name}": the file was not written by "bough ${
          command[0]
        }"; name another file, or add --force to replace it`,
      );
      assertEquals(await Deno.readTextFile(at(name)), before);
    }
    const { stdout } = await write();
    for (const name of ["new.ts", "empty.ts"]) {
      assertEquals((await write("-o", name)).code, 0);
      assertEquals(await Deno.readTextFile(at(name)), `${stdout}\n`);
    }
    const [first] = stdout.split("\n");
    await folder.write("new.ts", `// Of Ada\n${first}\nout of date`);
    assertEquals((await write("-o", "new.ts")).code, 0);
    assertEquals((await write("-o", "notes.ts", "--force")).code, 0);
    for (const name of ["new.ts", "notes.ts"]) {
      assertEquals(await Deno.readTextFile(at(name)), `${stdout}\n`);
    }
    const names = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
    assertEquals(names.sort(), [
      "api",
      "empty.ts",
      "new.ts",
      "notes.ts",
      "other.ts",
    ]);
  });
}

Deno.test({
  name:
    "a command replaces a generated file at once, and keeps its mode and its link",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({ "api/a/route.ts": GET });
    const at = (name: string) => join(folder.path, name);
    const write = () => boughIn(folder.path, "types", "-o", "link.ts");
    await folder.write("t.ts", '// Written by "bough types"\nold');
    await Deno.chmod(at("t.ts"), 0o640);
    await folder.link({ "link.ts": "t.ts" });
    using reader = await Deno.open(at("t.ts"));
    assertEquals((await write()).code, 0);
    const old = await new Response(reader.readable).text();
    assertEquals(old, '// Written by "bough types"\nold');
    assertStringIncludes(await Deno.readTextFile(at("t.ts")), "a/route.ts");
    assertEquals((await Deno.stat(at("t.ts"))).mode! & 0o777, 0o640);
    assert((await Deno.lstat(at("link.ts"))).isSymlink);
  },
});

Deno.test({
  name: "a generated file may be a pipe, but not a broken link or a device",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({ "api/a/route.ts": GET });
    const command =
      new URL("../../../src/cli/mod.ts", import.meta.url).pathname;
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: [
        "-c",
        `timeout 20 "$0" run -A --no-check --config "$1" "$2" types -o /dev/stdout | cat`,
        Deno.execPath(),
        config,
        command,
      ],
      cwd: folder.path,
    }).output();
    const text = new TextDecoder().decode(stdout);
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    const printed = await boughIn(folder.path, "types");
    assertEquals(text.trimEnd(), printed.stdout);
    await folder.link({ "gone.ts": "nowhere.ts" });
    for (const args of [[], ["--check"]]) {
      const { code, stderr } = await boughIn(
        folder.path,
        "build",
        "-o",
        "gone.ts",
        ...args,
      );
      assertEquals(code, 2);
      assertStringIncludes(stderr, "the path is a broken link");
    }
    const check = ["types", "--check", "-o", "/dev/null"];
    const device = await boughIn(folder.path, ...check);
    assertEquals(device.code, 2);
    assertStringIncludes(
      device.stderr,
      'cannot compare "/dev/null": the path is not a file',
    );
  },
});

Deno.test("a command needs only the permission to write its file", async () => {
  await using folder = await TestFolder.create({ "api/a/route.ts": GET });
  const command = new URL("../../../src/cli/mod.ts", import.meta.url).pathname;
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const args = ["run", "--no-prompt", "--no-check", "--config", config];
  for (const text of ["", '// Written by "bough types"\n']) {
    if (text !== "") await folder.write("t.ts", text);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...args,
        "--allow-read",
        "--allow-write=t.ts",
        command,
        "types",
        "-o",
        "t.ts",
      ],
      cwd: folder.path,
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    const written = await Deno.readTextFile(join(folder.path, "t.ts"));
    assertStringIncludes(written, "a/route.ts");
  }
});
