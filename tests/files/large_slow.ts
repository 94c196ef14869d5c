/** Sends up to 1 GiB from another process, to clients that stay or leave. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Framework } from "@bough/framework";
import { files } from "@bough/framework/files";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";
import { delay, until } from "../support/until.ts";

const SIZE = 2 ** 30;
const NAME = "large_slow.ts";
const isLinux = Deno.build.os === "linux";

/** A child process that serves a folder: `small`, and `large` of 1 GiB. */
class Child extends DenoProcess {
  readonly folder: TestFolder;

  private constructor(folder: TestFolder) {
    super(import.meta.dirname!, ["-A"], NAME, { args: [folder.path] });
    this.folder = folder;
  }

  static async start(): Promise<Child> {
    const folder = await TestFolder.create({ small: "", large: "first" });
    // A sparse file: only the letters at its two ends take space.
    const path = join(folder.path, "large");
    await Deno.truncate(path, SIZE - 4);
    await Deno.writeTextFile(path, "last", { append: true });
    const child = new Child(folder);
    await child.printed(" is its port\n");
    return child;
  }

  async get(name: string, range = ""): Promise<Response> {
    const [port] = /\d+(?= is its port)/.exec(this.output)!;
    const headers: HeadersInit = range === "" ? {} : { range };
    return await fetch(`http://127.0.0.1:${port}/${name}`, { headers });
  }

  async figure(name: "opened" | "peak"): Promise<number> {
    return await (await this.get(`api/${name}`)).json();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }
}

/** The length of a body, and the sum of its bytes: "first" has 552, "last" 436. */
async function sumOf(response: Response): Promise<[number, number]> {
  let [length, sum] = [0, 0];
  for await (const chunk of response.body!) {
    length += chunk.length;
    for (let at = 0; at < chunk.length; at++) sum += chunk[at]!;
  }
  return [length, sum];
}

// The bytes of a part pass through JavaScript, and wait for the collector of garbage.
for (
  const [name, range, expected, limit] of [
    ["the whole file", "", [SIZE, 552 + 436], 100],
    ["the rest", "bytes=5-", [SIZE - 5, 436], 100],
    ["a part", `bytes=0-${SIZE - 5}`, [SIZE - 4, 552], 200],
  ] as const
) {
  Deno.test(`a server that sends ${name} of 1 GiB needs less than ${limit} MB`, async () => {
    await using child = await Child.start();
    for (let round = 0; round < 2; round++) {
      const response = await child.get("large", range);
      assertEquals(response.status, range === "" ? 200 : 206);
      assertEquals(await sumOf(response), [...expected]);
    }
    assert(await child.figure("peak") < limit);
  });
}

Deno.test("100 clients that leave in the middle leave no file open", async () => {
  await using child = await Child.start();
  const bodies = await Promise.all(Array.from(Array(100), async (_, index) => {
    const range = ["", "bytes=1-", "bytes=1-900000000"][index % 3];
    return (await child.get("large", range)).body!;
  }));
  if (isLinux) assert(await child.figure("opened") >= 100);
  await Promise.all(bodies.map((body) => body.cancel()));
  await until(async () => await child.figure("opened") === 0);
});

const CHANGES = {
  shrinks: (path: string) => Deno.truncate(path, 5e7),
  grows: (path: string) => Deno.truncate(path, 2e8),
  "is removed": (path: string) => Deno.remove(path),
};
for (const [change, apply] of Object.entries(CHANGES)) {
  Deno.test(`a response has its length or breaks off if the file ${change}`, async () => {
    await using child = await Child.start();
    for (const length of [1e8, 9e7]) {
      const range = length === 1e8 ? "" : `bytes=0-${length - 1}`;
      const path = join(child.folder.path, "changing.bin");
      await Deno.writeFile(path, new Uint8Array(1e8));
      const response = await child.get("changing.bin", range);
      await delay(300);
      await apply(path);
      if (change === "shrinks") await assertRejects(() => sumOf(response));
      else assertEquals((await sumOf(response))[0], length);
      assertEquals(await (await child.get("small")).text(), "");
    }
    await until(async () => await child.figure("opened") === 0);
  });
}

Deno.test("FIFOs, sockets and links to devices are missing files, without a wait", async () => {
  if (Deno.build.os === "windows") return;
  await using child = await Child.start();
  const { path } = child.folder;
  await new Deno.Command("mkfifo", { args: [join(path, "fifo")] }).output();
  using _ = Deno.listen({ transport: "unix", path: join(path, "socket") });
  await child.folder.link({ zero: "/dev/zero", pipe: "fifo" });
  for (const name of ["fifo", "pipe", "socket", "zero"]) {
    const { status, body } = await child.get(name);
    await body?.cancel();
    assertEquals([name, status], [name, 404]);
  }
});

/** The program of a child: `large_slow.ts <folder>`. */
if (import.meta.main && Deno.args[0] !== undefined) {
  const dir = Deno.args[0];
  const figure = (measure: () => unknown) => ({
    GET: () => Response.json(isLinux ? measure() : 0),
  });
  const manifest = {
    "opened/route.ts": figure(() => {
      const args = ["-l", `/proc/${Deno.pid}/fd`];
      const { stdout } = new Deno.Command("ls", { args }).outputSync();
      return new TextDecoder().decode(stdout).split(`-> ${dir}/`).length - 1;
    }),
    "peak/route.ts": figure(() => {
      const text = Deno.readTextFileSync("/proc/self/status");
      return Number(/VmHWM:\s+(\d+)/.exec(text)![1]) / 1_000;
    }),
  };
  await new Framework({ manifest, plugins: [files({ dir })] }).serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen: ({ port }) => console.log(`${port} is its port`),
  });
}
