/** Questions about a JSON Schema without references. */
import { assertEquals } from "@std/assert";
import { listedValues, pointerTo } from "../../src/shared/flat_schema.ts";

Deno.test("a schema lists the values of const, of enum, or of both", () => {
  assertEquals(listedValues({ const: null }), [null]);
  assertEquals(listedValues({ enum: ["a", "b"] }), ["a", "b"]);
  assertEquals(listedValues({ const: "a", enum: ["a", "b"] }), ["a"]);
  assertEquals(listedValues({ const: "c", enum: ["a", "b"] }), []);
  assertEquals(listedValues({ type: "string" }), undefined);
});

Deno.test("the pointer of a member escapes its name", () => {
  assertEquals(pointerTo("a/b~c"), "/a~1b~0c");
});
