/**
 * Runs commands one after the other, each in its folder, and prints the exit code after
 * each: `commands_in_turn.ts '[["<folder>", "routes", "--json"], …]'`.
 */
import { main } from "@bough/framework/cli";

for (const [folder, ...args] of JSON.parse(Deno.args[0]!)) {
  Deno.chdir(folder);
  const code = await main(args);
  console.log(`exit code ${code}`);
  console.error(`exit code ${code}`);
}
