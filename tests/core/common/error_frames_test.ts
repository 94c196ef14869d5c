import { assert, assertEquals } from "@std/assert";
import { framesOf } from "../../../src/core/common/log.ts";
import { HOSTILE, imitatedFrames, IMITATIONS } from "../../support/hostile.ts";

Deno.test("framesOf() returns what V8 recorded", async () => {
  class Thing {
    constructor() {
      throw new Error("x");
    }
  }
  async function later(): Promise<void> {
    await Promise.resolve();
    new Thing();
  }
  const error = await later().catch((error) => error);
  const frames = framesOf(error);
  assertEquals(
    frames.slice(0, 2).map((frame) => [
      frame.functionName,
      frame.fileName,
      frame.isConstructor,
    ]),
    [["Thing", import.meta.url, true], ["later", import.meta.url, false]],
  );
  assert(frames.slice(2).every(({ isAsync }) => isAsync));
  const lines = (await Deno.readTextFile(new URL(import.meta.url))).split("\n");
  assertEquals(
    lines[frames[0]!.lineNumber! - 1],
    '      throw new Error("x");',
  );
});

Deno.test("framesOf() takes no frame from text", async (test) => {
  const text = imitatedFrames("file:///etc/passwd");
  for (const [place, imitate] of Object.entries(IMITATIONS)) {
    await test.step(place, () => {
      for (let error: unknown = imitate(text); error instanceof Error;) {
        const urls = framesOf(error).map(({ fileName }) => `${fileName}`);
        assertEquals(urls.filter((url) => url.includes("passwd")), []);
        error = error.cause;
      }
    });
  }
});

Deno.test("framesOf() returns no frames of other values", () => {
  for (const value of [undefined, null, 7, "x", {}, { stack: "x" }, framesOf]) {
    assertEquals(framesOf(value), []);
  }
  for (const value of Object.values(HOSTILE)) framesOf(value);
});
