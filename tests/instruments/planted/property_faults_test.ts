import { assert, assertEquals } from "@std/assert";
import { FAULTS } from "./property_faults.ts";

const BOOKSHOP = new URL("../../../examples/bookshop/", import.meta.url);

Deno.test("the faults have different names", () => {
  const names = FAULTS.map(({ name }) => name);
  assertEquals(names.filter((name, at) => names.indexOf(name) !== at), []);
});

Deno.test("every fault can be planted in the bookshop", async () => {
  for (const { name, file, find, replace } of FAULTS) {
    const path = new URL(file, BOOKSHOP);
    if (find === "") {
      const isNew = await Deno.stat(path).then(() => false, () => true);
      assert(isNew, `${name}: "${file}" exists already`);
      continue;
    }
    const text = await Deno.readTextFile(path);
    assertEquals(text.split(find).length, 2, `${name}: in "${file}"`);
    assert(find !== replace, name);
  }
});
