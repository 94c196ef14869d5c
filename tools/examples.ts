/** Extracts the examples in comments and pages as modules, which tests import. */
import { join } from "@std/path";

/** An example: what precedes each of its lines, such as ` * `, and the code. */
const EXAMPLE = /^([ \t]*(?:\* )?)```(?:ts|js)\n([^]*?)\n\1```$/gm;

/**
 * Writes a test file for each file with examples. `deno test --doc` would give each example
 * an isolate, which loads zod, `@std` and Bough again: 171 examples took 115 CPU seconds,
 * and take 3 in one process.
 *
 * @param folder The folder for the test files and the modules.
 * @returns The paths of the test files.
 */
export async function writeExamples(
  paths: readonly string[],
  folder: string,
): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const text = await Deno.readTextFile(path);
    const name = path.replaceAll(/[\\/]/g, "_");
    let tests = "";
    for (const { 1: prefix, 2: code, index } of text.matchAll(EXAMPLE)) {
      const before = text.slice(0, index).split("\n");
      const module = `${name}_${before.length}.ts`;
      const lines = code!.split("\n").map((line) => line.slice(prefix!.length));
      // The frames of errors have the lines of the file.
      const padding = "\n".repeat(before.length);
      await Deno.writeTextFile(
        join(folder, module),
        padding + lines.join("\n"),
      );
      // Tests cannot register tests.
      const title = JSON.stringify(`${path}:${before.length}`);
      tests += code!.includes("Deno.test(")
        ? `import "./${module}";\n`
        : `Deno.test(${title}, () => import("./${module}"));\n`;
    }
    if (tests === "") continue;
    const file = join(folder, `${name}_test.ts`);
    await Deno.writeTextFile(file, tests);
    files.push(file);
  }
  return files;
}
