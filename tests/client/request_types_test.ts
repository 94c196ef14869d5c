/** The option `type` of calls whose media types `content()` declares. */
import { createClient } from "@bough/framework/client";
import { content, Framework, type RouteSchema } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import type { TestModule } from "../support/application.ts";

const A = z.object({ a: z.string() });
const B = z.object({ b: z.number(), tags: z.array(z.string()).optional() });
const Form = z.object({ a: z.string(), file: z.file().optional() });
const VENDOR = "application/vnd.shop+json";
const FORM = "application/x-www-form-urlencoded";

const one = {
  post: { body: content(VENDOR, A) },
} satisfies RouteSchema;
const several = {
  post: {
    body: [
      content("application/json", A),
      content(VENDOR, B),
      content("text/csv", z.string()),
      content(FORM, A),
      content("multipart/form-data", Form),
    ],
  },
} satisfies RouteSchema;
const ranges = {
  post: {
    body: [content("application/*+json", A), content("text/*", z.string())],
  },
} satisfies RouteSchema;
const optional = {
  post: { body: content("application/json", A.optional()) },
} satisfies RouteSchema;

const POST: NonNullable<TestModule["POST"]> = ({ headers, validated }) =>
  Response.json([
    headers.get("content-type")?.split(";")[0],
    validated.body ?? null,
  ]);

const manifest = {
  "one/route.ts": { schema: one, POST },
  "several/route.ts": { schema: several, POST },
  "ranges/route.ts": { schema: ranges, POST },
  "optional/route.ts": { schema: optional, POST },
};

const api = createClient<typeof manifest>({
  fetch: new Framework({ manifest }).fetch,
});

Deno.test("a call writes its body by the option type", async () => {
  const blob = new File(["x"], "x.txt");
  const results = [
    await api.POST("/one", { body: { a: "1" }, type: VENDOR }),
    await api.POST("/several", { body: { a: "1" } }),
    await api.POST("/several", { body: { a: "1" }, type: "application/json" }),
    await api.POST("/several", { body: { b: 1 }, type: VENDOR }),
    await api.POST("/several", { body: "1,2", type: "text/csv" }),
    await api.POST("/several", { body: { a: "1" }, type: FORM }),
    await api.POST("/several", {
      body: { a: "1" },
      type: "multipart/form-data",
    }),
    await api.POST("/several", {
      body: { a: "1", file: blob },
      type: "multipart/form-data",
    }),
    await api.POST("/ranges", { body: { a: "1" }, type: "application/x+json" }),
    await api.POST("/ranges", { body: "1,2", type: "text/csv" }),
    await api.POST("/optional"),
  ];
  assertEquals(results.map(({ data }) => data), [
    [VENDOR, { a: "1" }],
    ["application/json", { a: "1" }],
    ["application/json", { a: "1" }],
    [VENDOR, { b: 1 }],
    ["text/csv", "1,2"],
    [FORM, { a: "1" }],
    ["multipart/form-data", { a: "1" }],
    ["multipart/form-data", { a: "1", file: {} }],
    ["application/x+json", { a: "1" }],
    ["text/csv", "1,2"],
    [null, null],
  ]);
});

Deno.test("the option type narrows the body", () => {
  const check = async () => {
    // @ts-expect-error only JSON needs no type
    await api.POST("/one", { body: { a: "1" } });
    // @ts-expect-error an undeclared type
    await api.POST("/one", { body: { a: "1" }, type: "application/json" });
    // @ts-expect-error the body of another type
    await api.POST("/several", { body: { a: "1" }, type: VENDOR });
    // @ts-expect-error the body of another type, which needs its type
    await api.POST("/several", { body: { b: 1 } });
    // @ts-expect-error an undeclared type
    await api.POST("/several", { body: "x", type: "text/plain" });
    // @ts-expect-error a type outside of the ranges
    await api.POST("/ranges", { body: { a: "1" }, type: "application/json" });
    // @ts-expect-error the body of another range
    await api.POST("/ranges", { body: { a: "1" }, type: "text/csv" });
    // @ts-expect-error no type
    await api.POST("/ranges", { body: { a: "1" } });
    // @ts-expect-error an undeclared member
    await api.POST("/several", { body: { a: "1", c: 1 }, type: FORM });
    // @ts-expect-error no body
    await api.POST("/several", {});
  };
  assertEquals(typeof check, "function");
});
