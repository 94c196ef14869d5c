/** The rows of the properties, and the pages that come from them. */
import { assert, assertEquals } from "@std/assert";
import {
  PROPERTIES,
  PROPERTY_NAMES,
} from "../../../src/testing/properties/properties.ts";

const PAGE = new URL("../../../src/testing/README.md", import.meta.url);

Deno.test("the page of contract tests lists each property with its title, and its column", async () => {
  const page = await Deno.readTextFile(PAGE);
  const [, section = ""] = page.split("## What is tested\n");
  const [list = ""] = section.split("\n## ");
  const items = [...list.matchAll(/^- `([a-z]+)`: ([^]*?)(?=\n\n|\n- )/gm)];
  const names: (string | undefined)[] = [...PROPERTY_NAMES];
  assertEquals(items.map(([, name]) => name), names);
  for (const [index, [, , item = ""]] of items.entries()) {
    const { title } = PROPERTIES[PROPERTY_NAMES[index]!];
    const sentence = title[0]!.toUpperCase() + title.slice(1);
    const text = item.replaceAll(/\s+/g, " ");
    assert(text.startsWith(sentence), `"${sentence}" is missing: ${text}`);
  }
  const [, columns = ""] = /^ROUTE (.*)$/m.exec(page) ?? [];
  assertEquals(columns.toLowerCase().trim().split(/\s+/), names);
  const [, rerun = ""] = /^The test of a failure in (.*) calls$/m.exec(page) ??
    [];
  assertEquals(
    [...rerun.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    PROPERTY_NAMES.filter((name) => PROPERTIES[name].isRerun),
  );
});
