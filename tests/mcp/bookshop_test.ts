import { assertEquals, assertRejects } from "@std/assert";
import { ADMIN_TOKEN } from "../../examples/bookshop/admin_token.ts";
import { app, reset } from "../../examples/bookshop/main.ts";
import { TestServer } from "../support/application.ts";
import { TestClient } from "./client.ts";
import { outcomeOf } from "./support.ts";

Deno.test("the bookshop offers its staff three tools", async () => {
  reset();
  await using server = await TestServer.start(app);
  const url = server.url("/mcp");
  const order = {
    email: "ada@example.com",
    items: [{ bookId: 1, count: 2 }],
  };
  const placed = await fetch(server.url("/api/orders"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(order),
  });
  const { id } = await placed.json();

  await using guest = await TestClient.connect(url);
  assertEquals((await guest.client.listTools()).tools, []);
  const stock = (count: number) => ({
    name: "set_stock",
    arguments: { params: { bookId: "1" }, body: { stock: count } },
  });
  await assertRejects(
    () => guest.client.callTool(stock(0)),
    Error,
    "unknown",
  );

  const token = ADMIN_TOKEN;
  await using staff = await TestClient.connect(url, { token });
  const { tools } = await staff.client.listTools();
  assertEquals(tools.map(({ name }) => name).sort(), [
    "search_books",
    "set_order_status",
    "set_stock",
  ]);
  const call = async (name: string, input: Record<string, unknown>) => {
    return outcomeOf(
      await staff.client.callTool({ name, arguments: input }),
    );
  };
  const found = await call("search_books", { query: { search: "moby" } });
  const [book] = found.body as { title: string }[];
  assertEquals([found.status, book!.title], [200, "Moby-Dick"]);
  const changed = await staff.client.callTool(stock(3));
  const { body } = changed.structuredContent as { body: { stock: number } };
  assertEquals([changed.isError, body.stock], [false, 3]);
  const params = { orderId: String(id) };
  const sent = await call("set_order_status", {
    params,
    body: { status: "sent" },
  });
  assertEquals((sent.body as { status: string }).status, "sent");
  const wrong = await call("set_order_status", {
    params,
    body: { status: "eaten" },
  });
  assertEquals(wrong.status, 400);
});
