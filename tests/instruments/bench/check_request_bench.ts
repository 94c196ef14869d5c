/** Shows why most queries are split, and most headers read one by one, for a check. */
import { z } from "zod";
import type { MiddlewareRequest } from "@bough/framework";
import { queryValues, valuesByName } from "../../../src/core/request/form.ts";
import { createCheck } from "../../../src/core/schema/check_request.ts";

// Each string is new, as those of a server are.
const urls = Array.from(
  { length: 1_000 },
  (_, index) =>
    new TextDecoder().decode(
      new TextEncoder().encode(`http://h/api/search?q=trees${index}&page=2`),
    ),
);

Deno.bench("URLSearchParams", { group: "query", baseline: true }, () => {
  for (const url of urls) {
    valuesByName(new URLSearchParams(url.slice(url.indexOf("?"))));
  }
});

Deno.bench("queryValues()", { group: "query" }, () => {
  for (const url of urls) queryValues(url);
});

Deno.bench("queryValues() of an escape", { group: "query" }, () => {
  for (const url of urls) queryValues(`${url}%20`);
});

const members = { authorization: z.string(), "x-tenant": z.string() };
const headers = {
  accept: "application/json",
  authorization: "Bearer 2fd4e1c67a2d28fced849ee1bb76e739",
  host: "localhost:8000",
  "user-agent": "shop/2.1",
  "x-tenant": "acme",
};
const request = Object.assign(new Request("http://h/api", { headers }), {
  validated: {},
}) as unknown as MiddlewareRequest;

function checkOf(headers: z.ZodType): () => void {
  const check = createCheck([{ headers }], { invalidParams: 400 })!;
  return () => void check(request);
}

Deno.bench(
  "Object.fromEntries(headers)",
  { group: "headers", baseline: true },
  () => {
    Object.assign(Object.create(null), Object.fromEntries(request.headers));
  },
);

const all = checkOf(z.looseObject(members));
Deno.bench("check of all 5 headers", { group: "headers" }, all);

const named = checkOf(z.object(members));
Deno.bench("check of 2 named headers", { group: "headers" }, named);
