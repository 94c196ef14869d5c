/** Writes the bookshop's document: `deno run -A tests/openapi/write_golden.ts`. */
import { app } from "../../examples/bookshop/main.ts";

const response = await app.fetch(new Request("http://h/openapi.json"));
await Deno.writeTextFile(
  new URL("./bookshop.openapi.json", import.meta.url),
  JSON.stringify(await response.json(), null, 2) + "\n",
);
