import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { runProgram } from "../support.ts";

Deno.test({
  name: "paths of Windows are compared, listed, printed and written",
  // There, the other tests show the same, and no file can have such a name.
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "C:\\Users\\ada\\shop\\deno.json": "{}",
    });
    const { code, stdout, stderr } = await runProgram(
      folder.path,
      "-A",
      fromFileUrl(new URL("windows_paths.ts", import.meta.url)),
    );
    assertEquals(code, 0, stderr);
    const shop = "C:\\Users\\ada\\shop";
    assertEquals(JSON.parse(stdout), {
      covered: [true, false, false],
      requested: [`${shop}\\data\\a`, `${shop}\\tool.exe`, "git"],
      files: [`${shop}\\data`],
      own: [`${shop}\\a`, `${shop}\\b`, `${shop}\\c`],
      above: ["C:\\Users\\a", "C:\\Users\\b", "C:\\Users\\c"],
      drive: ["D:\\a", "D:\\b", "D:\\c"],
      random: [`${shop}\\data`],
      elsewhere: ["D:\\20260101\\x.png", "D:\\x"],
      shown: ["data/a", "D:/a", "lib/a.ts", "npm:zod"],
      cached: true,
      written: {
        serve: {
          read: ["../other/x", "./api", "C:\\Windows\\x", "D:\\x"],
        },
      },
      found: [
        "C:\\Users\\ada\\other\\x",
        `${shop}\\api`,
        "C:\\Windows\\x",
        "D:\\x",
      ],
    });
  },
});
