import { assert, assertEquals } from "@std/assert";
import { APPLICATIONS, filesOf } from "./applications.ts";

for (const [name, application] of Object.entries(APPLICATIONS)) {
  Deno.test(`every fault of ${name} can be planted`, async () => {
    const files = await filesOf(application);
    for (const { name, file, find, replace } of application.faults) {
      assertEquals(files[file]?.split(find).length, 2, `${name}: in "${file}"`);
      assert(find !== replace, name);
    }
  });

  Deno.test(`the faults of ${name} have different names`, () => {
    const names = application.faults.map(({ name }) => name);
    assertEquals(new Set(names).size, names.length);
  });
}
