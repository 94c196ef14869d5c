/**
 * Slow: Git LFS pushes and clones 200 MB.
 * Needs: git git-lfs
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { createHash, randomBytes } from "node:crypto";
import { TestServer } from "../../support/application.ts";
import { createApp } from "./main.ts";

const PATH = "/team/site.git/info/lfs";
const MEGABYTE = 1_000_000;
/** Windows may have another Git LFS. */
const WITH_GIT = { ignore: Deno.build.os === "windows" };

/** A server with a folder, in which `git` reads and writes. */
class Setup extends TestServer {
  private constructor(readonly folder: string, server: TestServer["server"]) {
    super(server);
  }

  static async open(): Promise<Setup> {
    const folder = await Deno.makeTempDir();
    const app = createApp(`${folder}/objects`);
    return new Setup(folder, (await TestServer.start(app)).server);
  }

  /** Runs git without the settings of the machine. */
  async tryGit(
    ...args: string[]
  ): Promise<{ success: boolean; output: string }> {
    const options = [`lfs.url=${this.url(PATH)}`, "init.defaultBranch=main"]
      .concat("user.name=Ada", "user.email=ada@example.com");
    const { success, stdout, stderr } = await new Deno.Command("git", {
      args: [...options.flatMap((option) => ["-c", option]), ...args],
      cwd: this.folder,
      env: { HOME: this.folder, GIT_CONFIG_NOSYSTEM: "1" },
    }).output();
    const [out, error] = [stdout, stderr]
      .map((bytes) => new TextDecoder().decode(bytes));
    return { success, output: `${out}${error}` };
  }

  /** Runs git; returns what it printed. */
  async git(...args: string[]): Promise<string> {
    const { success, output } = await this.tryGit(...args);
    assert(success, `git ${args.join(" ")}: ${output}`);
    return output;
  }

  /** Creates a bare repository and a clone of it that keeps `*.bin` in Git LFS. */
  async repository(): Promise<void> {
    await this.git("lfs", "install");
    await this.git("init", "--bare", "site.git");
    await this.git("clone", "site.git", "work");
    await this.git("-C", "work", "lfs", "track", "*.bin");
  }

  /** Commits a file. */
  async commit(name: string, bytes: Uint8Array): Promise<void> {
    await Deno.writeFile(`${this.folder}/work/${name}`, bytes);
    await this.git("-C", "work", "add", ".");
    await this.git("-C", "work", "commit", "-m", `Add ${name}`);
  }

  /** The path of an object on the server. */
  object(bytes: Uint8Array): string {
    return `${this.folder}/objects/team%2Fsite/${oidOf(bytes)}`;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}

function oidOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

Deno.test(
  "git pushes a file of 200 MB, and a fresh clone equals it",
  WITH_GIT,
  async () => {
    await using setup = await Setup.open();
    await setup.repository();
    const bytes = randomBytes(200 * MEGABYTE);
    await setup.commit("film.bin", bytes);
    await setup.commit("empty.bin", new Uint8Array());
    await setup.commit("note.bin", new TextEncoder().encode("a text"));
    await setup.git("-C", "work", "push", "origin", "main");
    assertEquals((await Deno.stat(setup.object(bytes))).size, bytes.length);
    await setup.git("clone", "site.git", "fresh");
    assert(bytes.equals(await Deno.readFile(`${setup.folder}/fresh/film.bin`)));
    const text = await Deno.readTextFile(`${setup.folder}/fresh/note.bin`);
    assertEquals(text, "a text");
    await setup.git("-C", "fresh", "lfs", "fsck");
    const push = ["-C", "work", "lfs", "push", "--all", "origin"];
    assertEquals(/error|fatal/i.test(await setup.git(...push)), false);
  },
);

Deno.test("git reports an object that the server lost", WITH_GIT, async () => {
  await using setup = await Setup.open();
  await setup.repository();
  const bytes = randomBytes(1_000);
  await setup.commit("film.bin", bytes);
  await setup.git("-C", "work", "push", "origin", "main");
  await Deno.remove(setup.object(bytes));
  const { success, output } = await setup.tryGit("clone", "site.git", "fresh");
  assertEquals(success, false);
  assertMatch(output, /It is missing|does not exist on the server/);
});

Deno.test("an object whose bytes have another hash is not kept", async () => {
  await using setup = await Setup.open();
  const bytes = new TextEncoder().encode("foo");
  const url = setup.url(`${PATH}/objects/${oidOf(bytes)}`);
  const wrong = await fetch(url, { method: "PUT", body: "bar" });
  assertEquals(wrong.status, 422);
  assertEquals(
    wrong.headers.get("content-type"),
    "application/vnd.git-lfs+json",
  );
  assertMatch((await wrong.json()).message, /SHA-256/);
  assertEquals((await fetch(url, { method: "HEAD" })).status, 404);
  const right = await fetch(url, { method: "PUT", body: "foo" });
  assertEquals(right.status, 200);
  assertEquals(await (await fetch(url)).text(), "foo");
});
