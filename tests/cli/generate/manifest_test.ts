import { assertEquals } from "@std/assert";
import { manifestText } from "../../../src/cli/generate/modules.ts";
import { LINKS } from "../../../src/core/start/manifest.ts";

const FILES = {
  files: ["b", "a", "c"].map((name) => ({
    path: `api/${name}/route.ts`,
    location: `/srv/app/api/${name}/route.ts`,
    folders: [name],
  })),
  middleware: [{
    path: "api/b/middleware.ts",
    location: "/srv/app/api/b/middleware.ts",
    folders: ["b"],
  }],
};

Deno.test({
  name: "manifestText() imports all files at startup, in path order",
  ignore: Deno.build.os === "windows",
  fn() {
    assertEquals(
      manifestText(FILES, { folder: "/srv/app", lazy: false }),
      `// Written by "bough build" from the files of the application; do not edit.
// deno-fmt-ignore-file
import * as file0 from "./api/a/route.ts";
import * as file1 from "./api/b/middleware.ts";
import * as file2 from "./api/b/route.ts";
import * as file3 from "./api/c/route.ts";

export default {
  "a/route.ts": file0,
  "b/middleware.ts": file1,
  "b/route.ts": file2,
  "c/route.ts": file3,
};
`,
    );
  },
});

Deno.test({
  name: "manifestText() with lazy imports each file at its first request",
  ignore: Deno.build.os === "windows",
  fn() {
    const { files: [first] } = FILES;
    assertEquals(
      manifestText({ files: [first!], middleware: [] }, {
        folder: "/srv/build",
        lazy: true,
      }),
      `// Written by "bough build" from the files of the application; do not edit.
// deno-fmt-ignore-file

export default {
  "b/route.ts": () => import("../app/api/b/route.ts"),
};
`,
    );
  },
});

Deno.test({
  name: "manifestText() lists the links that lead to a file",
  ignore: Deno.build.os === "windows",
  fn() {
    const { files: [first, second] } = FILES;
    const linked = { ...second!, otherPaths: ["x/route.ts", "y/route.ts"] };
    assertEquals(
      manifestText({ files: [first!, linked], middleware: [] }, {
        folder: "/srv/app",
        lazy: true,
      }).split("\n").slice(3),
      [
        "export default {",
        '  "a/route.ts": () => import("./api/a/route.ts"),',
        '  "b/route.ts": () => import("./api/b/route.ts"),',
        "  LINKS: {".replace("LINKS", LINKS),
        '    "a/route.ts": ["x/route.ts","y/route.ts"],',
        "  },",
        "};",
        "",
      ],
    );
  },
});
