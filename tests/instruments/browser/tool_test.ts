import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { TestFolder } from "../../support/application.ts";

const TOOL = fromFileUrl(
  new URL("../../../tools/browser_tests.ts", import.meta.url),
);

/** Runs the tool without a browser, with an `apt-get` that records its calls. */
async function runWithoutBrowser(
  ...args: readonly string[]
): Promise<{ code: number; stderr: string; calls: string }> {
  await using folder = await TestFolder.create({ calls: "" });
  for (const name of ["apt-get", "sudo"]) {
    await folder.write(
      name,
      `#!/bin/sh\necho "$@" >> '${folder.path}/calls'\nexit 1\n`,
    );
    await Deno.chmod(join(folder.path, name), 0o755);
  }
  const { CHROMIUM: _, ...env } = Deno.env.toObject();
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", TOOL, ...args],
    clearEnv: true,
    env: { ...env, PATH: folder.path },
  }).output();
  return {
    code,
    stderr: new TextDecoder().decode(stderr),
    calls: await Deno.readTextFile(join(folder.path, "calls")),
  };
}

Deno.test({
  name: "without a browser, test:browser prints how to install one",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { code, stderr, calls } = await runWithoutBrowser();
    assertEquals([code, calls], [2, ""]);
    assertStringIncludes(stderr, "there is no Chromium. The browser tests");
    assertStringIncludes(stderr, "deno task test:browser --install");
  },
});

Deno.test({
  name: "test:browser --install tries to install a browser",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { code, stderr, calls } = await runWithoutBrowser("--install");
    assertEquals(code, 2);
    assertStringIncludes(calls, "-qq update");
    assertStringIncludes(stderr, "none could be installed");
  },
});
