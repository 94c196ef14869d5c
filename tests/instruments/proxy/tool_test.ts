import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));
const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));

for (
  const [task, packages] of [
    ["test:proxy", "nginx"],
    ["test:cluster", "nginx redis-server"],
  ] as const
) {
  Deno.test(`without its servers, ${task} prints how to install them, and exits with 2`, async () => {
    const { command } = tasks[task];
    const [deno, run, all, ...args] = command.split(" ");
    assertEquals([deno, run, all], ["deno", "run", "-A"]);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      // The tool looks in the folders of the system, too.
      args: ["run", "-A", "--no-config", "--deny-read=/usr", ...args],
      cwd: ROOT,
      clearEnv: true,
      env: { ...Deno.env.toObject(), PATH: "" },
    }).output();
    assertEquals(code, 2);
    const text = new TextDecoder().decode(stderr);
    assertStringIncludes(
      text,
      `NOT run: ${command.replace(/.* -- (?=test|run)/, "deno ")}`,
    );
    assertStringIncludes(text, `apt-get install ${packages}\n`);
  });
}
