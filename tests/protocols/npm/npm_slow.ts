/** Slow: it starts npm many times. The registry serves the real `npm`. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { createApp } from "./main.ts";
import { Registry, TOKEN } from "./registry.ts";

const NAME = "@acme/tree";
const MANIFEST = { name: NAME, version: "1.0.0", main: "tree.js" };

/** A user of `npm` whose files and settings are all in one folder. */
class NpmUser {
  constructor(readonly folder: TestFolder) {}

  /** Creates a user with a package and an empty project. */
  static async create(folder: TestFolder, origin: string): Promise<NpmUser> {
    const { host } = new URL(origin);
    await folder.write(
      "home/.npmrc",
      `registry=${origin}/
//${host}/:_authToken=${TOKEN}
update-notifier=false
fund=false
`,
    );
    await folder.write("tree/tree.js", `module.exports = "a tree";\n`);
    await folder.write("tree/package.json", JSON.stringify(MANIFEST));
    await folder.write("project/package.json", `{ "name": "project" }`);
    return new NpmUser(folder);
  }

  /** Runs npm in a folder of the user. */
  async npm(
    folder: string,
    ...args: readonly string[]
  ): Promise<{ code: number; output: string }> {
    const home = join(this.folder.path, "home");
    const command = new Deno.Command("npm", {
      args: [...args],
      cwd: join(this.folder.path, folder),
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH")!,
        HOME: home,
        npm_config_cache: join(home, "cache"),
        npm_config_userconfig: join(home, ".npmrc"),
      },
    });
    const { code, stdout, stderr } = await command.output();
    const decoder = new TextDecoder();
    return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
  }
}

Deno.test("npm publishes, installs, tags, audits and removes a scoped package", async () => {
  await using folder = await TestFolder.create({});
  const registry = new Registry();
  const app = createApp(registry);
  await using server = await app.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen() {},
  });
  const user = await NpmUser.create(
    folder,
    `http://127.0.0.1:${server.addr.port}`,
  );
  for (
    const [dir, line] of [
      ["tree", "publish --access=public"],
      ["tree", "view @acme/tree"],
      ["tree", "publish --access=public"],
      ["project", "install @acme/tree"],
      ["project", "dist-tag add @acme/tree@1.0.0 beta"],
      ["project", "dist-tag ls @acme/tree"],
      ["project", "dist-tag rm @acme/tree beta"],
      ["project", "audit"],
      ["tree", "version 2.0.0"],
      ["tree", "publish"],
      ["tree", "unpublish @acme/tree@1.0.0 --force"],
      ["tree", "view @acme/tree --json"],
      ["tree", "unpublish @acme/tree --force"],
      ["tree", "view @acme/tree"],
    ]
  ) {
    console.log(line, await user.npm(dir!, ...line!.split(" ")));
  }
});
