import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import {
  placesOf,
  resolveLink,
  type Root,
} from "../../../src/core/start/discover.ts";
import { TestFolder } from "../../support/application.ts";

const ignore = Deno.build.os === "windows";

/** A folder whose `api` is a link, with the paths that lead there. */
async function createTree(): Promise<{ folder: TestFolder; base: Root }> {
  const folder = await TestFolder.create({
    "data/lib/users/route.ts": "",
    "data/lib/list.ts": "",
    "data/node_modules/pkg/route.ts": "",
    "data-private/route.ts": "",
  });
  await folder.link({
    "api": "data",
    "elsewhere": "data/lib",
    "data/staff/users": "../lib/users",
    "data/people": "staff/users",
    "data/deep/down/users": "../../staff/users",
    "data/long": "x".repeat(300),
    "data/dotted": "./staff/./users",
    "data/absolute": join(folder.path, "api/staff/users"),
    "data/real": join(folder.path, "data/staff/users"),
    "data/around": "../data/staff/users",
    "data/far": join(folder.path, "elsewhere/users"),
    "data/way/route.ts": "../people/../list.ts",
    "data/gone": "nowhere",
    "data/ring": "ring",
    "data/private": "../data-private",
    "data/pkg": "node_modules/pkg",
  });
  const root = join(folder.path, "api");
  const realRoot = join(folder.path, "data");
  return { folder, base: { root, realRoot, label: "api" } };
}

Deno.test({
  name:
    "placesOf() finds the places on the way of a link, and last the real place",
  ignore,
  async fn() {
    const { folder, base } = await createTree();
    await using _folder = folder;
    const placesOfLink = (path: string) => {
      const link = path.split("/");
      const target = resolveLink(link, base);
      if (typeof target === "string") return target;
      return placesOf(link, target.real, base).map((names) => names.join("/"));
    };
    const both = ["staff/users", "lib/users"];
    assertEquals(placesOfLink("staff/users"), ["lib/users"]);
    assertEquals(placesOfLink("people"), both);
    assertEquals(placesOfLink("deep/down/users"), both);
    assertEquals(placesOfLink("dotted"), both);
    assertEquals(placesOfLink("absolute"), both);
    assertEquals(placesOfLink("real"), both);
    // Outside of `apiDir` there are no guards.
    assertEquals(placesOfLink("around"), ["lib/users"]);
    assertEquals(placesOfLink("far"), ["lib/users"]);
    // It goes up from the target of `people`, and is never in `people`.
    assertEquals(placesOfLink("way/route.ts"), ["lib/list.ts"]);
  },
});

Deno.test({
  name: "resolveLink() finds targets in apiDir, and reports other targets",
  ignore,
  async fn() {
    const { folder, base } = await createTree();
    await using _folder = folder;
    const resolve = (path: string) => resolveLink(path.split("/"), base);
    assertEquals(resolve("people"), {
      real: ["lib", "users"],
      isFile: false,
      isDirectory: true,
    });
    assertEquals(resolve("way/route.ts"), {
      real: ["lib", "list.ts"],
      isFile: true,
      isDirectory: false,
    });
    assertEquals(resolve("gone"), "that leads nowhere");
    assertEquals(resolve("ring"), "that leads nowhere");
    assertEquals(resolve("private"), 'that leaves "api"');
    assertEquals(resolve("pkg"), 'into "node_modules"');
    // Other errors are not a property of the link.
    assertThrows(() => resolve("long"), Error, "too long");
  },
});
