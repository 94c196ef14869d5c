/**
 * The bytes that this test file uses, inside and outside of the heap. The memory of the
 * process is that of other files as well, since `deno test --parallel` runs them in it.
 */
export function memoryUsed(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
