/** Slow: each server is checked in a process of its own. */
import { assertEquals, assertMatch } from "@std/assert";
import { bough } from "../cli/support.ts";

for (const name of ["lfs", "npm", "tus"]) {
  Deno.test(`bough check finds nothing in the server for ${name}`, async () => {
    const folder = `${import.meta.dirname!}/${name}`;
    const { code, stdout } = await bough(folder, "check", "main.ts");
    assertMatch(stdout, /: nothing found$/);
    assertEquals(code, 0);
  });
}
