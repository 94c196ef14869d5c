/** `bough build` and `bough types` write, compare and replace only their own files. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { call, COMMAND, runProgram } from "../support.ts";

const GET = "export const GET = () => new Response();";
const GOOD = { code: 0, stdout: "", stderr: "" };

for (const command of ["build", "types", "types --standalone"]) {
  const [name] = command.split(" ");
  Deno.test(`bough ${command} replaces only files that it has written`, async () => {
    await using folder = await TestFolder.create({
      "api/a/route.ts": GET,
      "notes.ts":
        `// Written by hand\nconst a = 1;\n// Written by "bough ${name}"`,
      "empty.ts": "",
      "other.ts": '// Written by "bough other" from somewhere\n',
    });
    const read = (path: string) => Deno.readTextFile(join(folder.path, path));
    const write = (options: string) => call(folder, `${command} ${options}`);
    for (const path of ["api/a/route.ts", "notes.ts", "other.ts"]) {
      const before = await read(path);
      const { code, stderr } = await write(`-o ${path}`);
      assertEquals(code, 2);
      assertStringIncludes(
        stderr,
        `bough ${name}: cannot write "${path}": the file was not written by "bough ${name}"; name another file, or add --force to replace it`,
      );
      assertEquals(await read(path), before);
    }
    const { stdout } = await call(folder, command);
    const assertWritten = async (options: string, path: string) => {
      assertEquals(await write(options), GOOD);
      assertEquals(await read(path), `${stdout}\n`);
    };
    await assertWritten("-o new.ts", "new.ts");
    await assertWritten("--output=empty.ts", "empty.ts");
    const [first] = stdout.split("\n");
    await folder.write("new.ts", `// Of Ada\n${first}\nout of date`);
    await assertWritten("-o new.ts", "new.ts");
    await assertWritten("-o notes.ts --force", "notes.ts");
    const names = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
    const expected = ["api", "empty.ts", "new.ts", "notes.ts", "other.ts"];
    assertEquals(names.sort(), expected);
  });

  Deno.test(`bough ${command} writes only what changed, and --check compares`, async () => {
    await using folder = await TestFolder.create({ "api/a/route.ts": GET });
    const output = join(folder.path, "t.ts");
    const run = (options = "") =>
      call(folder, `${command} -o t.ts ${options}`.trim());
    const [, option = ""] = command.split(/(?= --)/);
    const stale = {
      code: 1,
      stdout: "",
      stderr:
        `"t.ts" is out of date; update it with: bough ${name} api${option} -o t.ts`,
    };
    assertEquals(await run("--check"), stale, "without a file");
    assertEquals(await run(), GOOD);
    assertEquals(await run("--check"), GOOD);
    Deno.utimeSync(output, 7, 7);
    assertEquals(await run(), GOOD);
    assertEquals(Deno.statSync(output).mtime, new Date(7_000));

    const text = Deno.readTextFileSync(output);
    await folder.write("api/b/route.ts", GET);
    assertEquals(await run("--check"), stale);
    assertEquals(Deno.readTextFileSync(output), text);
    assertEquals(await run(), GOOD);
    assert(Deno.statSync(output).mtime! > new Date(7_000));
    assertStringIncludes(Deno.readTextFileSync(output), '"b/route.ts"');
    await folder.write("t.ts", Deno.readTextFileSync(output) + "\n");
    assertEquals(await run("--check"), stale);
    await folder.write("api/[x/route.ts", GET);
    assertEquals((await run()).code, 1);
  });
}

Deno.test("a command needs only the permission to write its file", async () => {
  await using folder = await TestFolder.create({ "api/a/route.ts": GET });
  for (const text of ["", '// Written by "bough types"\n']) {
    if (text !== "") await folder.write("t.ts", text);
    const { code, stderr } = await runProgram(
      folder.path,
      ...["--no-prompt", "--allow-read", "--allow-write=t.ts"],
      ...[COMMAND, "types", "-o", "t.ts"],
    );
    assertEquals(code, 0, stderr);
    const written = await Deno.readTextFile(join(folder.path, "t.ts"));
    assertStringIncludes(written, "a/route.ts");
  }
});
