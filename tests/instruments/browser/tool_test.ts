import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { TestFolder } from "../../support/application.ts";

const TOOL = fromFileUrl(
  new URL("../../../tools/browser_tests.ts", import.meta.url),
);

for (
  const [name, args, calls, printed] of [
    [
      "without a browser, test:browser prints how to install one",
      [],
      "",
      ["there is no Chromium. The browser tests", "test:browser --install"],
    ],
    [
      "test:browser --install tries to install a browser",
      ["--install"],
      "-qq update",
      ["none could be installed"],
    ],
  ] as const
) {
  Deno.test({
    name,
    ignore: Deno.build.os === "windows",
    async fn() {
      // The commands of this folder only record their calls.
      await using folder = await TestFolder.create({ calls: "" });
      const log = join(folder.path, "calls");
      for (const name of ["apt-get", "sudo"]) {
        await folder.write(name, `#!/bin/sh\necho "$@" >> '${log}'\nexit 1\n`);
        await Deno.chmod(join(folder.path, name), 0o755);
      }
      const { CHROMIUM: _, ...env } = Deno.env.toObject();
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-config", TOOL, ...args],
        clearEnv: true,
        env: { ...env, PATH: folder.path },
      }).output();
      assertEquals(code, 2);
      const recorded = await Deno.readTextFile(log);
      if (calls === "") assertEquals(recorded, "");
      else assertStringIncludes(recorded, calls);
      const text = new TextDecoder().decode(stderr);
      for (const part of printed) assertStringIncludes(text, part);
    },
  });
}
