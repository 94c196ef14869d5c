/**
 * Plants every other fault in a copy of the bookshop, and prints the names of those
 * that the property they break does not find: `deno run -A find_faults.ts 0`.
 */
import { FAULTS } from "./faults.ts";
import { bookshopFiles, checkBookshop, plant } from "./planted.ts";

const [rest = "0"] = Deno.args;
const files = await bookshopFiles();
const missed: string[] = [];
for (const [index, fault] of FAULTS.entries()) {
  if (index % 2 !== Number(rest)) continue;
  const { failures } = await checkBookshop(plant(files, fault), {
    seed: 7,
    runs: 50,
  });
  const isFound = failures.some(({ property }) => property === fault.property);
  if (!isFound) missed.push(fault.name);
}
console.log(JSON.stringify(missed));
