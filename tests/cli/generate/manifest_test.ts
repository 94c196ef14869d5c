import { assertEquals } from "@std/assert";
import { manifestText } from "../../../src/cli/generate/modules.ts";

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
