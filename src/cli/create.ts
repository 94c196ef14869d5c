/**
 * Creates a new project: `deno create jsr:@bough/framework -- my-project`.
 *
 * @example Call the command from a program
 * ```ts
 * import { main } from "@bough/framework/cli";
 *
 * console.log(await main(["new", "--help"])); // 0
 * ```
 *
 * @module
 */
import { main } from "./mod.ts";

if (import.meta.main) Deno.exit(await main(["new", ...Deno.args]));
