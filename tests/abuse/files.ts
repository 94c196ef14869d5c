import { RouteError } from "@bough/framework";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { FolderApplication, TestFolder } from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";
import { FakeClock } from "../support/fake_clock.ts";
import {
  type AbuseCase,
  apiOf,
  attackApplication,
  HELLO,
  type Target,
} from "./case.ts";

const GET = "export const GET = () => new Response('served');";

function mainOf(lazy: boolean): string {
  return `import { Framework } from "@bough/framework";
    const app = new Framework({ apiDir: "api", lazy: ${lazy} });
    await app.serve({ port: 0, hostname: "127.0.0.1" });`;
}

async function statusesOf(
  api: string,
  ...paths: readonly string[]
): Promise<number[]> {
  return await Promise.all(paths.map(async (path) => {
    const response = await fetch(`${api}/${path}`);
    await response.body?.cancel();
    return response.status;
  }));
}

async function statusOf({ server }: Target, path: string): Promise<number> {
  const response = await fetch(server.url(path));
  await response.body?.cancel();
  return response.status;
}

/** Attacks a lazy application in a folder. */
async function attackFolder(
  logged: number,
  run: (target: Target, path: string) => Promise<string>,
): Promise<string> {
  const files = { "item/route.js": GET, "other/route.js": GET };
  await using application = await FolderApplication.create(
    { "hello/route.js": HELLO, ...files },
    { lazy: true },
  );
  return await attackApplication(
    application,
    logged,
    (target) => run(target, application.folder.path),
  );
}

/** Spoils a file before its first request, with `lazy`, and restores it. */
function spoilAndRestore(
  spoil: (location: string) => Promise<void>,
  restore: (location: string) => Promise<void>,
): () => Promise<string> {
  return () =>
    attackFolder(1, async (target, path) => {
      using clock = new FakeClock();
      const location = join(path, "api", "item", "route.js");
      await spoil(location);
      const statuses = [
        await statusOf(target, "/api/item"),
        await statusOf(target, "/api/item"),
        await statusOf(target, "/api/other"),
      ];
      assertEquals(statuses, [500, 500, 200]);
      for (const line of target.log) assert(line.includes("item/route.js"));
      await restore(location);
      // Bough imports the file again at most once a second (behaviour 9.4).
      clock.tick(1_001);
      assertEquals(await statusOf(target, "/api/item"), 200);
      return "500, others 200; 200 after the repair";
    });
}

async function write(location: string): Promise<void> {
  await Deno.writeTextFile(location, GET);
}

const AGAIN =
  "500 and a log line for each attempt; others are served, and this one after its repair";

/** Damage to the files of an application. */
export const FILES: readonly AbuseCase[] = [{
  abuse: "a route file deleted before its first request (`lazy`)",
  must: AGAIN,
  attempt: spoilAndRestore((location) => Deno.remove(location), write),
}, {
  abuse: "a route file made unreadable before its first request (`lazy`)",
  must: AGAIN,
  attempt: spoilAndRestore(async (location) => {
    // Taking its permissions away would not keep root from reading it.
    await Deno.remove(location);
    await Deno.mkdir(location);
  }, async (location) => {
    await Deno.remove(location);
    await write(location);
  }),
}, {
  abuse: "a route file broken before its first request (`lazy`)",
  must: AGAIN,
  attempt: spoilAndRestore(
    (location) => Deno.writeTextFile(location, "export const GET = ("),
    write,
  ),
}, {
  abuse: "a route file whose reading is denied (`--deny-read`)",
  must: "500 with the reason in the log, others are served (`lazy`)",
  attempt: async () => {
    await using folder = await TestFolder.create({
      "main.ts": mainOf(true),
      "api/item/route.js": GET,
      "api/other/route.js": GET,
    });
    await using process = new DenoProcess(folder.path, [
      "--allow-net",
      "--allow-read",
      "--deny-read=api/item/route.js",
    ]);
    const statuses = await statusesOf(await apiOf(process), "item", "other");
    assertEquals(statuses, [500, 200]);
    await process.printed("Requires read access");
    return "500, others 200";
  },
}, {
  abuse: "a route file deleted and broken after its first request",
  must: "served unchanged, because the module stays loaded",
  attempt: () =>
    attackFolder(0, async (target, path) => {
      const location = join(path, "api", "item", "route.js");
      const statuses = [await statusOf(target, "/api/item")];
      await Deno.writeTextFile(location, "export const GET = (");
      statuses.push(await statusOf(target, "/api/item"));
      await Deno.remove(location);
      statuses.push(await statusOf(target, "/api/item"));
      assertEquals(statuses, [200, 200, 200]);
      return "200";
    }),
}, {
  abuse: "10,000 route files, eager and lazy",
  must:
    "Bough starts; the first and the last are served, and a path without a file gets 404",
  // It writes 10,000 files, and imports them, 6 CPU seconds.
  isSlow: true,
  attempt: async () => {
    await using folder = await TestFolder.create({});
    for (let index = 0; index < 10_000; index++) {
      await folder.write(`api/g${index % 100}/i${index}/route.js`, GET);
    }
    for (const lazy of [false, true]) {
      await folder.write("main.ts", mainOf(lazy));
      await using process = new DenoProcess(folder.path, [
        "--allow-net",
        "--allow-read",
      ]);
      const statuses = await statusesOf(
        await apiOf(process),
        ...["g0/i0", "g99/i9999", "g99/i0"],
      );
      assertEquals(statuses, [200, 200, 404]);
    }
    return "200, 200, 404";
  },
}, {
  abuse: "symbolic links in rings, to themselves, upwards, and out of `apiDir`",
  must: "one error lists each link, and nothing is imported",
  ignore: Deno.build.os === "windows",
  attempt: async () => {
    await using outside = await TestFolder.create({
      "route.js": `globalThis.escaped = true; ${GET}`,
    });
    await using application = await FolderApplication.create({
      "inner/deep/route.js": GET,
    });
    const api = join(application.folder.path, "api");
    await Deno.symlink(join(api, "b"), join(api, "a"));
    await Deno.symlink(join(api, "a"), join(api, "b"));
    await Deno.symlink(join(api, "self"), join(api, "self"));
    await Deno.symlink("../..", join(api, "inner", "up"));
    await Deno.symlink(outside.path, join(api, "out"));
    await Deno.symlink("/", join(api, "root"));
    const { faults } = await assertRejects(
      () => application.app.start(),
      RouteError,
    );
    assertEquals(faults.map(({ rule }) => rule), Array(6).fill("link"));
    assertEquals("escaped" in globalThis, false);
    return `${faults.length} links, nothing imported`;
  },
}];
