import { assert, assertEquals, assertThrows } from "@std/assert";
import { mcp, type McpOptions } from "@bough/framework/mcp";
import { z } from "zod";
import { CapturedLog } from "../support/application.ts";
import { TestClient } from "./client.ts";
import { create, outcomeOf, post, request, resultOf } from "./support.ts";

Deno.test("the limits of the application apply to /mcp", async () => {
  const list = request("tools/list");
  const application = create(undefined, {}, { bodyLimit: 2_000 });
  const large = await post(application, { ...list, x: "y".repeat(2_000) });
  assertEquals(large.status, 413);
  await large.body?.cancel();
  for (const body of ["", "{", "[]", "null", "7", '"x"', "[[[[", "{}"]) {
    const response = await post(application, body);
    assert([400, 202].includes(response.status), `${body} ${response.status}`);
    await response.body?.cancel();
  }
  for (const method of ["GET", "DELETE", "PUT"]) {
    const response = await application.fetch("/mcp", { method });
    assertEquals(response.status, 405);
    await response.body?.cancel();
  }
  const headers = { "content-type": "text/plain" };
  const form = await post(application, list, headers);
  assertEquals(form.status, 415);
  await form.body?.cancel();
});

Deno.test("a large bodyLimit applies to /mcp and to the route", async () => {
  const application = create(
    {
      "route.ts": {
        schema: { post: { body: z.string(), mcp: { name: "size" } } },
        POST: ({ validated }) => Response.json(validated.body.length),
      },
    },
    {},
    { bodyLimit: 6_000_000 },
  );
  const length = 5_000_000;
  const call = request("tools/call", {
    name: "size",
    arguments: { body: "x".repeat(length) },
  });
  const { structuredContent } = await resultOf(await post(application, call));
  assertEquals(structuredContent, { status: 200, body: length });
});

Deno.test("deeply nested arguments get the response of the route", async () => {
  const application = create({
    "route.ts": {
      schema: { post: { body: z.unknown(), mcp: { name: "deep" } } },
      POST: () => Response.json("reached"),
    },
  });
  const deep = "[".repeat(400_000) + "]".repeat(400_000);
  const text = JSON.stringify(
    request("tools/call", { name: "deep", arguments: { body: "DEEP" } }),
  ).replace('"DEEP"', deep);
  using log = new CapturedLog();
  const response = await post(application, text);
  const direct = await application.fetch("/api", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: deep,
  });
  const body = await direct.json();
  assertEquals(outcomeOf(await resultOf(response)), {
    status: direct.status,
    body,
  });
  assertEquals(log.lines, []);
});

Deno.test("a tool reports large responses, and bodies other than text, as errors", async () => {
  const typed = (type: string, body: BodyInit) =>
    new Response(body, { headers: { "content-type": type } });
  const responses: Readonly<Record<string, () => Response>> = {
    large: () => new Response("x".repeat(1_048_577)),
    full: () => new Response("x".repeat(1_048_576)),
    endless: () =>
      typed(
        "text/plain",
        new ReadableStream({
          pull: (stream) => stream.enqueue(new Uint8Array(10_000)),
        }),
      ),
    image: () => typed("image/png", "png"),
    bytes: () => new Response(new Uint8Array(3)),
    events: () => typed("text/event-stream", new ReadableStream()),
    broken: () => typed("application/json", "{"),
    moved: () => Response.redirect("http://localhost/api/full"),
    thrown: () => {
      throw new Error("secret");
    },
    cut: () => typed("text/plain", new Uint8Array([97, 195])),
    torn: () =>
      typed(
        "text/plain",
        new ReadableStream({
          pull: () => {
            throw new Error("secret");
          },
        }),
      ),
    empty: () => new Response(null, { status: 204 }),
  };
  const application = create(Object.fromEntries(
    Object.entries(responses).map(([name, GET]) => [
      `${name}/route.ts`,
      { schema: { get: { mcp: { name } } }, GET },
    ]),
  ));
  await using connected = await TestClient.connect(application);
  using log = new CapturedLog();
  const results: unknown[] = [];
  const { tools } = await connected.client.listTools();
  for (const { name } of tools) {
    const result = await connected.client.callTool({ name });
    const { isError, content, structuredContent } = result;
    assertEquals(structuredContent === undefined, isError, name);
    const [first] = content as { text: string }[];
    results.push([name, isError, first!.text]);
  }
  const but = "The route responded with status 200 and";
  const no = "which is neither JSON nor text";
  const problem = { type: "about:blank", title: "Internal Server Error" };
  assertEquals(results, [
    ["broken", true, `${but} invalid JSON`],
    ["bytes", true, `${but} type "", ${no}`],
    ["cut", false, "a\ufffd"],
    ["empty", false, "204 No Content"],
    ["endless", true, `${but} more than 1048576 bytes`],
    ["events", true, `${but} type "text/event-stream", ${no}`],
    ["full", false, "x".repeat(1_048_576)],
    ["image", true, `${but} type "image/png", ${no}`],
    ["large", true, `${but} more than 1048576 bytes`],
    ["moved", true, "302 Found"],
    ["thrown", true, JSON.stringify({ ...problem, status: 500 })],
    ["torn", true, JSON.stringify({ ...problem, status: 500 })],
  ]);
  assert(!JSON.stringify(results).includes("secret"));
  assertEquals(log.lines.length, 2);
});

Deno.test("mcp() rejects wrong options", () => {
  const wrong: [object, string][] = [
    [{ paht: "/x" }, 'option "paht" is unknown; did you mean "path"?'],
    [{ path: "mcp" }, 'path must be a path such as "/docs", got "mcp"'],
    [{ info: { name: "x" } }, "info.version must be a string, got undefined"],
    [{ headers: "cookie" }, "headers must be an array"],
    [{ headers: ["content-length"] }, "headers[0] must be the name"],
    [{ headers: ["Host"] }, "headers[0] must be the name"],
    [{ headers: ["a b"] }, "headers[0] must be the name"],
    [{ origins: ["https://a.example/"] }, "origins[0] must be an origin"],
    [{ origins: ["*"] }, "origins[0] must be an origin"],
    [{ list: true }, "list must be a function"],
  ];
  for (const [options, message] of wrong) {
    assertThrows(
      () => mcp(options as McpOptions),
      TypeError,
      `Cannot offer tools: ${message}`,
    );
  }
});
