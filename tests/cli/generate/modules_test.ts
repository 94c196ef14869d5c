/** The manifest and the map of the routes. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { call } from "../support.ts";

const GET = "export const GET = () => new Response();";
const GUARD = "export default (_, next) => next();";
const HEAD =
  `// Written by "bough build" from the files of the application; do not edit.
// deno-fmt-ignore-file
`;

Deno.test("bough build prints a manifest in path order, with paths from its folder", async () => {
  await using folder = await TestFolder.create({
    "api/b/route.ts": GET,
    "api/b/middleware.ts": GUARD,
    "api/a/route.ts": GET,
    "out/keep": "",
  });
  const manifest = `${HEAD}import * as file0 from "./api/a/route.ts";
import * as file1 from "./api/b/middleware.ts";
import * as file2 from "./api/b/route.ts";

export default {
  "a/route.ts": file0,
  "b/middleware.ts": file1,
  "b/route.ts": file2,
};`;
  assertEquals(await call(folder, "build"), {
    code: 0,
    stdout: manifest,
    stderr: "",
  });
  assertEquals((await call(folder, "build -o out/m.ts")).code, 0);
  assertEquals(
    Deno.readTextFileSync(join(folder.path, "out/m.ts")),
    `${manifest.replaceAll("./api", "../api")}\n`,
  );
  const lazy = await call(folder, "build --prefix=v1 --lazy");
  assertEquals(
    lazy.stdout,
    `${HEAD}
export default {
  "a/route.ts": () => import("./api/a/route.ts"),
  "b/middleware.ts": () => import("./api/b/middleware.ts"),
  "b/route.ts": () => import("./api/b/route.ts"),
};`,
  );
});

Deno.test("bough types writes a map of the files, and the paths of their folders", async () => {
  const { code, stdout, stderr } = await call({
    "api/users/[id]/route.ts": GET,
    "api/(staff)/middleware.ts": GUARD,
    "api/(staff)/log/[...]/route.ts": GET,
    'api/it\'s "so"/route.ts': GET,
    "api/route.ts": GET,
  }, "types api");
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(
    stdout,
    `export interface Routes {
  "(staff)/log/[...]/route.ts": typeof import("./api/(staff)/log/[...]/route.ts");
  "(staff)/middleware.ts": typeof import("./api/(staff)/middleware.ts");
  "it's \\"so\\"/route.ts": typeof import("./api/it's \\"so\\"/route.ts");
  "route.ts": typeof import("./api/route.ts");
  "users/[id]/route.ts": typeof import("./api/users/[id]/route.ts");
}`,
  );
  assertStringIncludes(
    stdout,
    `export type NamedPathsAreTrue = [
  CheckPath<"/log/[...]" | "/(staff)/log/[...]", NamedPaths<Routes["(staff)/log/[...]/route.ts"]>>,
  CheckPath<"/it's \\"so\\"", NamedPaths<Routes["it's \\"so\\"/route.ts"]>>,
  CheckPath<"/", NamedPaths<Routes["route.ts"]>>,
  CheckPath<"/users/[id]", NamedPaths<Routes["users/[id]/route.ts"]>>,
];`,
  );
});
