/** Sends a request to the bookshop, and runs commands for its routes. */
import { main } from "@bough/framework/cli";
import { fromFileUrl } from "@std/path";
import { app } from "../../../examples/bookshop/main.ts";

const API = fromFileUrl(
  new URL("../../../examples/bookshop/api/", import.meta.url),
);

const { status } = await app.fetch(new Request("http://localhost/api/books"));
const codes: number[] = [];
for (const command of ["routes", "check", "openapi"]) {
  codes.push(await main([command, API]));
}
console.error(JSON.stringify([status, ...codes]));
