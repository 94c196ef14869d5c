/**
 * Makes the types of the client from the bookshop's document:
 * `deno run -A generate.ts`.
 */
import openapiTypescript, { astToString } from "openapi-typescript";
import { app } from "../bookshop/main.ts";

/** The types, as `bookshop.gen.ts` holds them. */
export async function generateTypes(): Promise<string> {
  const answer = await app.fetch(new Request("http://localhost/openapi.json"));
  return astToString(await openapiTypescript(await answer.json()));
}

if (import.meta.main) {
  const file = new URL("./bookshop.gen.ts", import.meta.url);
  await Deno.writeTextFile(file, await generateTypes());
}
