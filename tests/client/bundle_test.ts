import { assert } from "@std/assert";
import { bundledPage } from "./support.ts";

Deno.test("the client in a page is at most 6 KiB, without code of the server", async () => {
  const script = await bundledPage();
  const stream = new Blob([script]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  const { byteLength } = await new Response(stream).arrayBuffer();
  assert(byteLength <= 6 * 1024, `${byteLength} bytes`);
  assert(byteLength > 1_000, `only ${byteLength} bytes`);
  assert(!/Deno|Framework|RouteError|sqlite/.test(script), script);
});
