/**
 * Slow: it starts npm many times. The registry serves the real npm.
 * Needs: npm
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { createApp } from "./main.ts";
import { ADVISORY } from "./publication.ts";
import { Registry, TOKEN } from "./registry.ts";

const FILES = {
  "tree/tree.js": `#!/usr/bin/env node\nconsole.log("I am a tree");\n`,
  "tree/package.json":
    `{"name":"@acme/tree","version":"1.0.0","bin":{"tree":"tree.js"}}`,
  // Above the default limit of a body, even if compressed.
  "tree/leaves.txt": Array.from({ length: 60_000 }, crypto.randomUUID, crypto)
    .join("\n"),
  "project/package.json": `{"name":"project"}`,
};

/** A folder with arguments of npm, the exit code, and a part of the output. */
const COMMANDS: readonly [line: string, code: number, shown: string][] = [
  ["tree view @acme/tree", 1, "404 Not Found"],
  ["tree publish", 0, "+ @acme/tree@1.0.0"],
  ["tree publish", 1, "cannot publish over the previously published versions"],
  ["tree view @acme/tree", 0, "latest: 1.0.0"],
  ["project install @acme/tree", 0, "1 high severity vulnerability"],
  ["project exec -c tree", 0, "I am a tree"],
  ["project dist-tag add @acme/tree@1.0.0 old", 0, "+old: @acme/tree@1.0.0"],
  ["project audit", 1, "@acme/tree  *\nSeverity: high\nFalls"],
  ["tree version 2.0.0", 0, "v2.0.0"],
  ["tree --//$HOST/:_authToken=wrong publish", 1, "Unable to authenticate"],
  ["tree publish --tag=next", 0, "+ @acme/tree@2.0.0"],
  ["project audit fix --force", 0, "found 0 vulnerabilities"],
  ["project ls", 0, "@acme/tree@2.0.0"],
  ["project audit", 0, "found 0 vulnerabilities"],
  ["project dist-tag ls @acme/tree", 0, "latest: 1.0.0\nnext: 2.0.0\nold: 1"],
  ["project install @acme/tree@3.0.0", 1, "No matching version found"],
];

/** Runs npm in a folder, with the settings and the cache of a new user. */
async function npm(
  { path }: TestFolder,
  line: string,
): Promise<{ code: number; output: string }> {
  const [folder = "", ...args] = line.split(" ");
  const home = join(path, "home");
  const { code, stdout, stderr } = await new Deno.Command("npm", {
    args,
    cwd: join(path, folder),
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH")!,
      HOME: home,
      npm_config_cache: join(home, "cache"),
      npm_config_globalconfig: join(home, "npmrc"),
    },
  }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

Deno.test({
  name: "npm publishes, installs, tags and audits a scoped package",
  ignore: Deno.build.os === "windows",
}, async () => {
  const registry = new Registry();
  registry.advisories.set("@acme/tree", [ADVISORY]);
  await using server = await createApp(registry).serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
  });
  const host = `127.0.0.1:${server.addr.port}`;
  await using folder = await TestFolder.create({
    ...FILES,
    "home/.npmrc": `registry=http://${host}/
//${host}/:_authToken=${TOKEN}
fund=false
update-notifier=false
`,
  });
  for (const [line, code, shown] of COMMANDS) {
    const seen = await npm(folder, line.replace("$HOST", host));
    assertStringIncludes(seen.output, shown, line);
    assertEquals(seen.code, code, `${line}\n${seen.output}`);
  }
});
