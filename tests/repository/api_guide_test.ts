import { assertEquals } from "@std/assert";
import { apiGuide } from "../../tools/api_guide.ts";

Deno.test("src/guide/API.md is up to date with the doc comments", async () => {
  const written = await Deno.readTextFile(
    new URL("../../src/guide/API.md", import.meta.url),
  );
  assertEquals(written, await apiGuide(), "run: deno task guide");
});
