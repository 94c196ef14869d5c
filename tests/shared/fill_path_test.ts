import { assertEquals } from "@std/assert";
import { fillPath, WILDCARD } from "../../src/shared/fill_path.ts";

Deno.test("a filled path has every segment percent-encoded", () => {
  const values: Record<string, string[]> = {
    id: ["1/ü"],
    [WILDCARD]: ["c d", "..%"],
  };
  assertEquals(
    fillPath("/a b/[id]/[...]", (name) => values[name]!),
    "/a%20b/1%2F%C3%BC/c%20d/..%25",
  );
  assertEquals(fillPath("/", () => ["x"]), "/");
});

Deno.test("a wildcard without values leaves no empty segment", () => {
  assertEquals(fillPath("/files/[...]", () => []), "/files");
});
