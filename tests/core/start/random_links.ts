import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { join } from "@std/path";
import { Framework } from "@bough/framework";
import {
  CapturedLog,
  ROUTES,
  TestFolder,
  WAYS,
} from "../../support/application.ts";
import { discovered } from "../../support/discovery.ts";

/** A middleware file that adds a name to the request. */
export function guard(name: string): string {
  return `export default (request, next) => {
    (request.passed ??= []).push(${JSON.stringify(name)});
    return next();
  };`;
}

/** A route file whose response names the guards that ran. */
export const ROUTE = `export const GET = (request) => Response.json({
  passed: request.passed ?? [],
  params: request.params,
});`;

const place = fc.array(fc.constantFrom("a", "b", "c", "(g)"), { maxLength: 3 });
const distinctPlaces = fc.uniqueArray(place, {
  minLength: 1,
  maxLength: 6,
  selector: (names) => names.join("/"),
});
/** A link in some folder, to a folder above some route or to its file. */
const link = fc.record({
  from: place,
  route: fc.nat(),
  depth: fc.nat({ max: 4 }),
});

/** The guards above a folder, outermost first. */
function guardsAbove(
  folders: readonly string[],
  guards: ReadonlySet<string>,
): string[] {
  return [
    "",
    ...folders.map((_, depth) => folders.slice(0, depth + 1).join("/")),
  ].filter((path) => guards.has(path));
}

/**
 * Checks that in random trees with links, every route is behind the guards of its real
 * place and of the link's place.
 */
export async function checkRandomLinks(runs: number): Promise<void> {
  using _log = new CapturedLog();
  let linked = 0;
  await fc.assert(
    fc.asyncProperty(
      distinctPlaces,
      distinctPlaces,
      fc.array(link, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...WAYS),
      async (routes, guardFolders, links, way) => {
        await using folder = await TestFolder.create({});
        const guards = new Set(guardFolders.map((names) => names.join("/")));
        for (const path of guards) {
          await folder.write(join("api", path, "middleware.ts"), guard(path));
        }
        for (const names of routes) {
          const real = `real: ${JSON.stringify(names)}, passed:`;
          await folder.write(
            join("api", ...names, "r", "route.ts"),
            ROUTE.replace("passed:", real),
          );
        }
        const api = join(folder.path, "api");
        for (const [index, { from, route, depth }] of links.entries()) {
          const names = [...routes[route % routes.length]!, "r", "route.ts"];
          const target = join(api, ...names.slice(0, depth));
          const name = join("api", ...from, `l${index}`);
          const isFile = depth >= names.length;
          await folder.link({
            [isFile ? join(name, "route.ts") : name]: target,
          });
        }
        const app = new Framework(await ROUTES[way](api));
        await app.start().catch((error) => {
          // Groups may put two files at one URL.
          fc.pre(!error.message.includes("would serve the same URLs"));
          throw error;
        });
        for (
          const { folders, path, otherPaths } of discovered(api, "").files
        ) {
          const names = folders.filter((name) => name !== "(g)");
          const url = `http://h/api/${names.join("/")}`;
          const response = await app.fetch(new Request(url));
          const { real, passed } = await response.json();
          const first = folders.findIndex((name) => /^l\d$/.test(name));
          const own = first === -1 ? folders : folders.slice(0, first);
          for (const place of [own, real]) {
            const wanted = guardsAbove(place, guards);
            assertEquals(
              passed.filter((name: string) => wanted.includes(name)),
              wanted,
              path,
            );
          }
          assertEquals(passed.length, new Set(passed).size, path);
          if (otherPaths !== undefined) linked++;
        }
      },
    ),
    { numRuns: runs },
  );
  assert(linked > runs / 2, `only ${linked} linked routes`);
}
