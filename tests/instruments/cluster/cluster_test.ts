/** Tests that need no Redis; `kills.ts` has the others. */
import { assertEquals } from "@std/assert";
import { main as bough } from "@bough/framework/cli";
import { createClient } from "@bough/framework/client";
import { CapturedLog } from "../../support/application.ts";
import type { Routes } from "./api.types.ts";
import { app } from "../../../examples/cluster/main.ts";

Deno.test("bough types writes the types of the cluster", async () => {
  const here = import.meta.dirname;
  const api = `${here}/../../../examples/cluster/api`;
  const args = [api, "--check", "-o", `${here}/api.types.ts`];
  assertEquals(await bough(["types", ...args]), 0);
});

Deno.test("without Redis, orders get 503, and other routes respond", async () => {
  using _log = new CapturedLog();
  const api = createClient<Routes>({
    fetch: app.fetch,
    headers: { authorization: "Bearer ada" },
  });
  const params = { orderId: "1" };
  const order = await api.GET("/orders/[orderId]", { params });
  assertEquals(order.status, 503);
  assertEquals(order.response.headers.get("retry-after"), "1");
  const { status, data } = await api.GET("/products");
  assertEquals([status, data], [200, ["tea", "coffee"]]);
  assertEquals((await api.GET("/health/ready")).status, 200);
});
