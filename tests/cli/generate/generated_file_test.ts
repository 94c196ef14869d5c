/** A command replaces only files that it has written. */
import { assertEquals, assertStringIncludes } from "@std/assert";
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
