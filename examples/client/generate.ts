/**
 * Generates the types of the client from the bookshop's document:
 * `deno run -A generate.ts`.
 */
import openapiTypescript, { astToString } from "openapi-typescript";
import { app } from "../bookshop/main.ts";

/** The types as TypeScript, for `bookshop.gen.ts`. */
export async function generateTypes(): Promise<string> {
  const response = await app.fetch(
    new Request("http://localhost/openapi.json"),
  );
  return astToString(await openapiTypescript(await response.json()));
}

if (import.meta.main) {
  const file = new URL("./bookshop.gen.ts", import.meta.url);
  await Deno.writeTextFile(file, await generateTypes());
}
