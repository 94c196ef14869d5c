import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import {
  describeType,
  mutableResponse,
} from "../../../src/core/common/response.ts";

Deno.test("mutableResponse() copies responses with immutable headers", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const original = Response.redirect("http://localhost/there", status);
    const copy = mutableResponse(original);
    assert(copy !== original);
    copy.headers.set("x-mine", "1");
    assertEquals(
      [copy.status, ...copy.headers],
      [status, ["location", "http://localhost/there"], ["x-mine", "1"]],
    );
  }
  const fetched = mutableResponse(await fetch("data:text/plain,from%20afar"));
  fetched.headers.set("x-mine", "1");
  assertEquals(fetched.headers.get("content-type"), "text/plain");
  assertEquals(await fetched.text(), "from afar");
});

Deno.test("mutableResponse() copies responses without a body, which a handler may return again", () => {
  const headers = { "x-bough": "1" };
  for (const status of [204, 302, 304]) {
    const original = new Response(null, { status, headers });
    const copy = mutableResponse(original);
    copy.headers.set("x-mine", "1");
    assertEquals([copy.status, ...copy.headers], [
      status,
      ["x-bough", "1"],
      ["x-mine", "1"],
    ]);
    assertEquals([...original.headers], [["x-bough", "1"]]);
  }
});

Deno.test("mutableResponse() returns other responses unchanged", () => {
  const headers = { "x-bough": "1" };
  for (
    const response of [
      new Response("text", { headers }),
      Response.json({}, { status: 201, headers }),
      new Response("no", { status: 404, headers }),
    ]
  ) {
    assertStrictEquals(mutableResponse(response), response);
    assertEquals(response.headers.get("x-bough"), "1");
  }
  // Deno creates the body of these at the first access.
  for (const response of [new Response("text"), Response.json({})]) {
    assertStrictEquals(mutableResponse(response), response);
  }
});

Deno.test("describeType() names the type or the class of a value for messages", () => {
  for (
    const [value, expected] of [
      [undefined, "undefined"],
      [null, "null"],
      ["text", "a string"],
      [5, "a number"],
      [() => {}, "a function"],
      [{}, "an object of class Object"],
      [[], "an object of class Array"],
      [new Response(), "an object of class Response"],
    ] as const
  ) assertEquals(describeType(value), expected);
  assertEquals(describeType(Object.create(null)).includes("class"), false);
  assertEquals(
    describeType({ __proto__: { constructor: 5 } }).includes("class"),
    false,
  );
});
