/** Prints both reports of `bough diff`, for readers and in JSON. */
import { main } from "@bough/framework/cli";

const args = ["diff", "api", "--against=api.json"];
await main(args);
await main([...args, "--json"]);
