import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { FolderApplication } from "../support/application.ts";
import { FakeClock } from "../support/fake_clock.ts";
import {
  type AbuseCase,
  attackApplication,
  HELLO,
  type Target,
} from "./case.ts";

const GET = "export const GET = () => new Response('served');";

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

/** Ways to spoil a file. */
const SPOILS: readonly ((location: string) => Promise<void>)[] = [
  (location) => Deno.remove(location),
  async (location) => {
    // Taking its permissions away would not keep root from reading it.
    await Deno.remove(location);
    await Deno.mkdir(location);
  },
  (location) => Deno.writeTextFile(location, "export const GET = ("),
];

/** Damage to the files of an application. */
export const FILES: readonly AbuseCase[] = [{
  abuse:
    "a route file deleted, made unreadable or broken before its first request (`lazy`)",
  must:
    "500 and a log line for each attempt; others are served, and this one after its repair",
  attempt: async () => {
    for (const spoil of SPOILS) {
      await attackFolder(1, async (target, path) => {
        using clock = new FakeClock();
        const location = join(path, "api", "item", "route.js");
        await spoil(location);
        const statuses = [
          await statusOf(target, "/api/item"),
          await statusOf(target, "/api/item"),
          await statusOf(target, "/api/other"),
        ];
        assertEquals(statuses, [500, 500, 200], String(spoil));
        for (const line of target.log) assert(line.includes("item/route.js"));
        await Deno.remove(location).catch(() => {});
        await Deno.writeTextFile(location, GET);
        // Bough imports the file again at most once a second (behaviour 9.4).
        clock.tick(1_001);
        assertEquals(await statusOf(target, "/api/item"), 200, String(spoil));
        return "";
      });
    }
    return "500, others 200; 200 after the repair";
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
}];
