import { Framework, RouteError, type RouteManifest } from "@bough/framework";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { manifestText } from "../../../src/cli/generate/modules.ts";
import { CapturedLog, TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { discovered } from "../../support/discovery.ts";
import { UNIX } from "../server/support.ts";

/** A route that responds with the name of its file. */
function route(name: string): string {
  return `export const GET = () => new Response(${JSON.stringify(name)});`;
}

/** Names that an import would misunderstand without escapes. */
const ODD = [
  "%2e%2e",
  "%2E%2e",
  "%2e",
  "..%2fx",
  "%2e%2e%2f%2e%2e",
  "x%2f..%2f..",
  "%61",
  "%",
  "%zz",
  "?",
  "a?b",
  "#",
  "a#b",
  "\x1b[2J".replace("[", ""),
  "\u202ea",
  "\u2028",
  "…",
  " a ",
];

/** The two recipes of the guide, in a module next to `api/`. */
const RECIPES = `
  export const byFolder = (dir, path) =>
    path.endsWith("/route.ts") ? import(\`./api/\${dir}/route.ts\`) : undefined;
  export const byPath = (_dir, path) => import(\`./api/\${path}\`);
`;

Deno.test(
  "no folder name changes the target of an import, in any way of loading routes",
  UNIX,
  async () => {
    await using folder = await TestFolder.create({
      "recipes.js": RECIPES,
      // The files that the names would lead to.
      "route.ts": route("outside"),
      "x/route.ts": route("outside"),
      "api/route.ts": route("top"),
      "api/a/route.ts": route("a"),
    });
    for (const name of ODD) {
      await folder.write(join("api", name, "route.ts"), route(name));
      await folder.write(join("api/sub", name, "route.ts"), route(name));
    }
    const apiDir = join(folder.path, "api");
    const at = (name: string) => toFileUrl(join(folder.path, name)).href;
    const { byFolder, byPath } = await import(at("recipes.js"));
    await folder.write(
      "api.manifest.ts",
      manifestText(await discovered(apiDir, "api"), {
        folder: folder.path,
        lazy: false,
      }),
    );
    const manifest: RouteManifest =
      (await import(at("api.manifest.ts"))).default;
    for (
      const options of [
        { apiDir },
        { apiDir, load: byFolder },
        { apiDir, load: byPath },
        { manifest },
      ]
    ) {
      for (const lazy of [false, true]) {
        const app = new Framework({ ...options, lazy });
        for (const name of ODD) {
          for (const prefix of ["", "sub/"]) {
            const path = encodeURIComponent(name);
            const response = await app.fetch(
              new Request(`http://h/api/${prefix}${path}`),
            );
            assertEquals(await response.text(), name);
          }
        }
      }
    }
  },
);

/** Names that imports would take for another folder. */
const REJECTED = ["ad\nmin", "ad\tmin", "ad\rmin", "\nadmin", "admin\n"]
  .concat("\\", "..\\admin", "ad\\min");

Deno.test(
  "a folder with a tab, a line break or a backslash prevents startup, since imports would find another",
  UNIX,
  async () => {
    using _log = new CapturedLog();
    for (const name of REJECTED) {
      await using folder = await TestFolder.create({
        "api/admin/route.ts": route("admin"),
      });
      await folder.write(join("api", name, "route.ts"), route("odd"));
      const manifest = { [`${name}/route.ts`]: { GET: () => new Response() } };
      const shown = name.replaceAll("\n", "\\n").replaceAll("\r", "\\r")
        .replaceAll("\t", "\\t");
      for (
        const options of [{ apiDir: join(folder.path, "api") }, { manifest }]
      ) {
        const error = await assertRejects(
          () => new Framework(options).start(),
          RouteError,
          name.includes("\\") && "manifest" in options
            ? 'the path has a backslash, ".", ".." or an empty segment'
            : `folder name "${shown}" contains a tab, a line break or a backslash`,
        );
        assertEquals(error.message.split("\n").length, 1, error.message);
      }
    }
  },
);

Deno.test("the error names a folder whose name is not valid UTF-8", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  using _log = new CapturedLog();
  await using folder = await TestFolder.create({
    "api/users/route.ts": route("users"),
    "make.sh": `cd "$1" && n="$(printf 'caf\\351')" &&
        mkdir "users/$n" && touch "users/$n/route.ts" "users/$n.ts"`,
  });
  const api = join(folder.path, "api");
  const { success } = await new Deno.Command("sh", {
    args: [join(folder.path, "make.sh"), api],
  }).output();
  if (!success) return; // This file system rejects such a name.
  const { faults } = await discovered(api, "api");
  assertEquals(faults.map(({ path, rule }) => [path, rule]), [
    ["api", "unreadable"],
  ]);
  assertStringIncludes(faults[0]!.reason, "users/caf\ufffd");
  await assertRejects(
    () => new Framework({ apiDir: api }).start(),
    RouteError,
    "not valid UTF-8",
  );
});

Deno.test(
  "with the narrowest permission, Bough ignores a link to a file outside of apiDir, and names an unreadable folder",
  UNIX,
  async () => {
    await using folder = await TestFolder.create({
      "api/route.ts": route("top"),
      "outside/list.ts": route("outside"),
      "closed/route.ts": route("closed"),
      "closed/private/route.ts": route("private"),
      "main.ts": `
        import { Framework } from "@bough/framework";
        const app = new Framework({ apiDir: "api" });
        const response = await app.fetch(new Request("http://h/api"));
        console.log(await response.text());
        await new Framework({ apiDir: "closed" }).start()
          .catch((error) => console.log(error.message));`,
    });
    await folder.link({ "api/list.ts": "../outside/list.ts" });
    await using process = new DenoProcess(folder.path, [
      "--allow-read=api,closed",
      "--deny-read=closed/private",
    ]);
    const { output } = await process.outcome();
    const printed = 'top\nCannot serve "closed": reading a folder failed: ';
    assert(output.startsWith(printed), output);
    assertStringIncludes(output, "/closed/private");
  },
);
