/** The function that `--v8-flags=--expose-gc` adds. */
const { gc } = globalThis as {
  gc?: (options: Readonly<Record<string, string>>) => void;
};

/**
 * Responds with the memory in use, after a garbage collection that returns spare
 * memory.
 */
export async function GET(): Promise<Response> {
  // The second round frees objects that the first round finalized.
  for (let round = 0; round < 2; round++) {
    gc!({ type: "major", execution: "sync", flavor: "last-resort" });
    await new Promise((go) => setTimeout(go, 10));
  }
  return Response.json(Deno.memoryUsage());
}
