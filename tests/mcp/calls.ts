/** Random calls of tools, for `calls_test.ts` and `calls_slow.ts`. */
import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { HttpError } from "@bough/framework";
import { z } from "zod";
import { CapturedLog } from "../support/application.ts";
import { codePoint } from "../support/code_point.ts";
import { create, FILES, type Files, post, request } from "./support.ts";

const params = z.object({
  orderId: z.string().regex(/^\d+$/).transform(Number),
});
const Line = z.object({
  text: z.string(),
  get lines(): z.ZodDefault<z.ZodArray<typeof Line>> {
    return z.array(Line).default([]);
  },
});

/** The identifier of an order that exists. */
function found(
  { validated: { params: { orderId } } }: {
    validated: { params: { orderId: number } };
  },
): number {
  if (orderId % 3 === 1) throw new HttpError(404, "No order " + orderId);
  if (orderId % 3 === 2) throw new Error("secret");
  return orderId;
}

const ROUTES: Files = {
  ...FILES,
  "(staff)/orders/[orderId]/route.ts": {
    schema: {
      get: { params },
      post: { params, body: z.union([Line, z.record(z.string(), z.number())]) },
      patch: { params, body: z.strictObject({ note: z.string().nullable() }) },
      delete: { params },
    },
    GET: (request) => new Response("order " + found(request)),
    POST: (request) =>
      Response.json([found(request), request.validated.body], {
        status: 201,
        headers: { location: "/" },
      }),
    PATCH: (request) => {
      found(request);
      return Response.json(request.validated.body);
    },
    DELETE: (request) => {
      found(request);
      return new Response(null, { status: 204 });
    },
  },
  "files/[shelf]/[...]/route.ts": {
    schema: { get: { mcp: { name: "file" } } },
    GET: ({ params, wildcardParams }) =>
      Response.json([params.shelf, wildcardParams]),
  },
};

/** Strings that a URL can contain as one segment. */
const segment = fc.oneof(
  fc.integer({ min: -5, max: 50 }).map(String),
  fc.string({ unit: codePoint, minLength: 1, maxLength: 5 }).filter((text) =>
    !/^\.{1,2}$/.test(text) && !text.includes("\0") && text.isWellFormed() &&
    text !== "featured"
  ),
);
const id = fc.oneof(segment, fc.integer({ min: -5, max: 50 }));
const scalar = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -2, max: 5 }),
  fc.boolean(),
);
const line = fc.letrec((tie) => ({
  line: fc.record({
    text: fc.oneof({ weight: 9, arbitrary: fc.string() }, fc.jsonValue()),
    lines: fc.array(tie("line"), { maxLength: 2, depthIdentifier: "line" }),
  }, { requiredKeys: [] }),
})).line;

interface Call {
  readonly name: string;
  readonly method: string;
  readonly args: {
    readonly params?: Readonly<Record<string, unknown>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
  };
  /** The segments of the path after `/api`. */
  readonly path: readonly unknown[];
}

/** The identifiers of orders that exist. */
const orders = fc.nat(16).map((index) => 3 * index);
const order = (method: string, body?: fc.Arbitrary<unknown>) =>
  fc.record({
    orderId: fc.oneof(id, orders),
    body: body ?? fc.constant(undefined),
  }).map((
    { orderId, body },
  ): Call => ({
    name: `${method.toLowerCase()}OrdersByOrderId`,
    method,
    args: {
      params: { orderId },
      ...(body !== undefined && { body }),
    },
    path: ["orders", orderId],
  }));

const call: fc.Arbitrary<Call> = fc.oneof(
  id.map((bookId) => ({
    name: "getBooksByBookId",
    method: "GET",
    args: { params: { bookId } },
    path: ["books", bookId],
  })),
  fc.tuple(id, fc.oneof(fc.record({ title: fc.string() }), fc.jsonValue()))
    .map(([bookId, body]) => ({
      name: "replace_book",
      method: "PUT",
      args: { params: { bookId }, body },
      path: ["books", bookId],
    })),
  fc.record({
    q: scalar,
    limit: scalar,
    tag: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
    "a&b=c?#": scalar,
  }, { requiredKeys: [] }).map((query) => ({
    name: "search",
    method: "GET",
    args: { query },
    path: ["search"],
  })),
  order("GET"),
  order("POST", fc.oneof(line, fc.dictionary(fc.string(), scalar))),
  order("PATCH", fc.oneof(fc.record({ note: fc.string() }), fc.jsonValue())),
  order("DELETE"),
  fc.tuple(id, fc.array(segment, { minLength: 1, maxLength: 3 }))
    .filter(([shelf, names]) =>
      // A wildcard rejects encoded separators.
      ![String(shelf), ...names].some((each) => /[/\\]/.test(each))
    )
    .map(([shelf, names]) => ({
      name: "file",
      method: "GET",
      args: { params: { shelf, wildcard: names.join("/") } },
      path: ["files", shelf, ...names],
    })),
);
const token = fc.constantFrom(undefined, "wrong", "s3cret", "s3cret");

/** Calls tools, and compares each result with the response of its route. */
export async function checkCalls(
  parameters: { readonly numRuns: number; readonly seed?: number },
): Promise<void> {
  const application = create(ROUTES);
  using _ = new CapturedLog();
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(call, token, async (call, token) => {
      const { name, method, args: { query = {}, body, params } } = call;
      const headers = token === undefined
        ? {}
        : { authorization: `Bearer ${token}` };
      const search = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) =>
          [value].flat().map((each) => [name, String(each)])
        ),
      );
      const path = call.path.map((each) => encodeURIComponent(String(each)));
      const hasBody = body !== undefined;
      const direct = await application.fetch(
        `/api/${path.join("/")}${search.size > 0 ? `?${search}` : ""}`,
        {
          method,
          headers: {
            accept: "application/json",
            ...headers,
            ...(hasBody && { "content-type": "application/json" }),
          },
          ...(hasBody && { body: JSON.stringify(body) }),
        },
      );
      const { status, ok } = direct;
      statuses.add(status);
      const text = await direct.text();

      const response = await post(
        application,
        request("tools/call", {
          name,
          arguments: {
            ...(params !== undefined && { params }),
            ...(search.size > 0 && { query }),
            ...(hasBody && { body }),
          },
        }),
        headers,
      );
      const answer = await response.text();
      if (status === 401) {
        assertEquals([response.status, answer], [401, text]);
        assertEquals([...response.headers], [...direct.headers]);
        return;
      }
      assertEquals(response.status, 200, answer);
      const { result } = JSON.parse(/^data: (.*)$/m.exec(answer)![1]!);
      const isJson = /json/.test(direct.headers.get("content-type") ?? "");
      assertEquals(result, {
        content: [{ type: "text", text: text || "204 No Content" }],
        isError: !ok,
        ...(ok && {
          structuredContent: {
            status,
            ...(text !== "" && { body: isJson ? JSON.parse(text) : text }),
          },
        }),
      });
    }),
    parameters,
  );
  const all = [200, 201, 204, 400, 401, 404, 500];
  assertEquals([...statuses].sort(), all);
}
