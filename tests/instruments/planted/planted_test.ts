import { assert, assertEquals } from "@std/assert";
import { APPLICATIONS, filesOf } from "./applications.ts";
import { FAULTS } from "./property_faults.ts";

const FAULTS_BY_LIST = [
  ...Object.entries(APPLICATIONS).map(([name, application]) =>
    [name, application, Object.values(application.faults).flat()] as const
  ),
  ["bookshop, by property", APPLICATIONS.bookshop, FAULTS] as const,
];

for (const [list, application, faults] of FAULTS_BY_LIST) {
  Deno.test(`every fault of ${list} can be planted, and has its own name`, async () => {
    const files = await filesOf(application);
    for (const { name, file, find, replace } of faults) {
      const parts = find === "" ? undefined : 2;
      assertEquals(files[file]?.split(find).length, parts, `${name}: ${file}`);
      assert(find !== replace, name);
    }
    const names = faults.map(({ name }) => name);
    assertEquals(names.filter((name, at) => names.indexOf(name) !== at), []);
  });
}
