/** What the engine offers with `--v8-flags=--expose-gc`. */
const { gc } = globalThis as {
  gc?: (options: Readonly<Record<string, string>>) => void;
};

/**
 * Tells how much memory is in use once all garbage is collected, and what was
 * kept for later use is given back.
 */
export async function GET(): Promise<Response> {
  // What is finalized after the first round is freed in the second.
  for (let round = 0; round < 2; round++) {
    gc!({ type: "major", execution: "sync", flavor: "last-resort" });
    await new Promise((go) => setTimeout(go, 10));
  }
  return Response.json(Deno.memoryUsage());
}
