import { checkContracts } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import { appFor } from "./main.ts";

const ORIGINS = ["https://shop.example.com", "https://admin.example.com"];
const OTHER = "https://evil.example";

/** The status of a response, and the headers that browsers check. */
async function call(
  origin: string,
  { path = "/api/name", ...init }: RequestInit & { path?: string } = {},
): Promise<unknown[]> {
  const url = `https://api.example.com${path}`;
  const headers = { origin, "sec-fetch-site": "same-site", ...init.headers };
  const response = await appFor(ORIGINS)
    .fetch(new Request(url, { ...init, headers }));
  await response.body?.cancel();
  return [
    response.status,
    response.headers.get("access-control-allow-origin"),
    response.headers.get("access-control-allow-credentials"),
  ];
}

const PREFLIGHT = {
  method: "OPTIONS",
  headers: {
    "access-control-request-method": "PUT",
    "access-control-request-headers": "content-type",
  },
};
const FORM = { method: "PUT", body: new URLSearchParams({ name: "ada" }) };

Deno.test("pages of listed origins may call the API, and read all responses", async () => {
  for (const origin of ORIGINS) {
    assertEquals(await call(origin, PREFLIGHT), [204, origin, "true"]);
    assertEquals(await call(origin), [200, origin, "true"]);
    assertEquals(await call(origin, FORM), [204, origin, "true"]);
    const missing = { path: "/api/nothing" };
    assertEquals(await call(origin, missing), [404, origin, "true"]);
  }
});

Deno.test("pages of other origins can neither read nor write", async () => {
  assertEquals((await call(OTHER, PREFLIGHT))[1], null);
  assertEquals((await call(OTHER))[1], null);
  assertEquals((await call(OTHER, FORM)).slice(0, 2), [403, null]);
});

Deno.test("all responses match the schemas, even to preflight requests", async () => {
  const { failures } = await checkContracts(() => appFor(ORIGINS), {
    seed: 1,
    runs: 20,
  });
  assertEquals(failures.map(({ property, seen }) => [property, seen]), []);
});
