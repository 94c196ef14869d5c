/** Preconditions with entity tags (RFC 9110, section 13). */
import { assertEquals, assertThrows } from "@std/assert";
import { content, Framework, type Middleware } from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import {
  assertMatch,
  notModified,
  preconditions,
} from "@bough/framework/protect";
import { assertDeclared } from "@bough/framework/testing";
import { assertCpuTime } from "../support/cpu_time.ts";

/** A resource with a tag, and the handlers that compare the tag. */
class Resource {
  tag: string | undefined;
  required = false;
  readonly app: Framework;

  constructor(middleware?: Middleware) {
    const change = (request: Request) => {
      assertMatch(request, this.tag, { required: this.required });
      return new Response("changed");
    };
    const read = (request: Request) => {
      const headers = { "cache-control": "no-cache" };
      return this.tag === undefined
        ? new Response("missing", { status: 404 })
        : notModified(request, this.tag, headers) ??
          new Response("read", { headers: { etag: this.tag, ...headers } });
    };
    const text = { response: { 200: content("text/plain"), 404: {} } };
    this.app = new Framework({
      manifest: {
        ...(middleware && { "middleware.ts": { default: middleware } }),
        "route.ts": {
          schema: { get: text, put: text, patch: text, delete: text },
          ...{ GET: read, PUT: change, PATCH: change, DELETE: change },
        },
        "plain/route.ts": { GET: read },
      },
      plugins: [openapi({ info: { title: "Test", version: "1" } })],
    });
  }

  async send(
    method: string,
    headers: Record<string, string> = {},
    path = "/api",
  ): Promise<Response> {
    return await this.app.fetch(
      new Request(`http://localhost${path}`, { method, headers }),
    );
  }
}

const A = '"a"';
const WEAK = 'W/"a"';

const NONE = undefined;
const MATCH = "if-match";
const NONE_MATCH = "if-none-match";

/** Method, current tag, header, values that pass, and values that do not. */
const VALUES: readonly (readonly [
  method: string,
  tag: string | undefined,
  header: string,
  passed: readonly string[],
  failed: readonly string[],
])[] = [
  // 13.1.1: "*" is true if there is a current representation. A list is true if one of
  // its tags matches by strong comparison (8.8.3.2).
  ["PUT", A, MATCH, ["*", A, '"b", "a"', '"b","a","c"'], ['"b"', '"b", "c"']],
  ["PUT", A, MATCH, ['"b" ,\t"a"', ', "a",,'], [WEAK, '"A"', "a", '""', ""]],
  ["PUT", A, MATCH, [], ['"a', '"aa"', '"b, a"']],
  ["PUT", WEAK, MATCH, ["*"], [WEAK, A]],
  ["PUT", NONE, MATCH, [], ["*", A]],
  ["PUT", '""', MATCH, ['""'], []],
  ["PUT", '"é"', MATCH, ['"é"'], []],
  ["PUT", '"a\\"', MATCH, ['"a\\"'], []],
  ["PATCH", A, MATCH, [A], []],
  ["DELETE", A, MATCH, ["*", A], []],
  ["GET", A, MATCH, ["*", A], ['"b"']],
  ["HEAD", A, MATCH, [], ['"b"']],
  // 13.1.2: "*" is false if there is a current representation. A list is false if one of
  // its tags matches by weak comparison.
  ["PUT", NONE, NONE_MATCH, ["*", A], []],
  ["PUT", A, NONE_MATCH, ['"b"'], ["*", A, WEAK]],
  ["PUT", WEAK, NONE_MATCH, [], ["*"]],
  ["DELETE", A, NONE_MATCH, [], ["*"]],
  ["GET", NONE, NONE_MATCH, [A], []],
  ["GET", A, NONE_MATCH, ['w/"a"', '"b"', '"b", "c"', ""], ["*", A, WEAK]],
  ["GET", A, NONE_MATCH, [], ['"b", W/"c", W/"a"']],
  ["GET", WEAK, NONE_MATCH, [], [A, WEAK]],
  ["HEAD", A, NONE_MATCH, [], ["*", A]],
];

/** Method, current tag, `If-Match`, `If-None-Match`, and the expected status. */
const TABLE: readonly (readonly [
  method: string,
  tag: string | undefined,
  match: string | undefined,
  noneMatch: string | undefined,
  status: number,
])[] = [
  ...VALUES.flatMap(([method, tag, header, passed, failed]) => {
    const isRead = /GET|HEAD/.test(method);
    const row = (value: string, status: number) =>
      header === MATCH
        ? [method, tag, value, NONE, status] as const
        : [method, tag, NONE, value, status] as const;
    return [
      ...passed.map((value) => row(value, isRead && !tag ? 404 : 200)),
      ...failed.map((value) =>
        row(value, isRead && header === NONE_MATCH ? 304 : 412)
      ),
    ];
  }),
  // Without a condition, the method is performed.
  ["GET", A, NONE, NONE, 200],
  ["PUT", A, NONE, NONE, 200],
  ["PUT", NONE, NONE, NONE, 200],
  // Precedence, 13.2.2: If-Match comes first; If-None-Match is evaluated, too.
  ["PUT", A, A, '"b"', 200],
  ["PUT", A, A, A, 412],
  ["PUT", A, '"b"', '"b"', 412],
  ["PUT", NONE, A, "*", 412],
  ["GET", A, A, A, 304],
  ["GET", A, '"b"', A, 412],
  ["GET", A, A, '"b"', 200],
  // Both conditions are met by no request to a resource that exists.
  ["PUT", A, "*", "*", 412],
];

Deno.test("conditions are evaluated as in RFC 9110, section 13", async () => {
  const resource = new Resource();
  for (const [method, tag, match, noneMatch, status] of TABLE) {
    resource.tag = tag;
    const response = await resource.send(method, {
      ...(match !== undefined && { [MATCH]: match }),
      ...(noneMatch !== undefined && { [NONE_MATCH]: noneMatch }),
    });
    const body = await response.text();
    const isEmpty = status === 304 || method === "HEAD";
    const isTagged = status === 304 || status === 412;
    const isCached = status === 304;
    const { headers } = response;
    assertEquals(
      [
        response.status,
        body === "",
        isTagged && headers.get("etag"),
        isCached && headers.get("cache-control"),
      ],
      [status, isEmpty, isTagged && (tag ?? null), isCached && "no-cache"],
      `${method}, ETag ${tag}, If-Match ${match}, If-None-Match ${noneMatch}`,
    );
  }
});

/** Conditions without a version, and with one. */
const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  none: ["", " ", ",", "7", '"', "W/", '"7', '"a b"', "**"],
  some: ["*", '"7"', '""', 'W/"7"', '"6", "7"', ', "7"'],
};

Deno.test("with required, a change must name a version, and the handler compares it", async () => {
  const byFolder = new Resource(preconditions({ required: true }));
  const byHandler = new Resource();
  byHandler.required = true;
  for (const resource of [byFolder, byHandler]) {
    for (const tag of [undefined, A]) {
      resource.tag = tag;
      assertEquals((await resource.send("PUT")).status, 428);
      for (const name of ["if-match", "if-none-match"]) {
        for (const [names, values] of Object.entries(CONDITIONS)) {
          for (const value of values) {
            const { status } = await resource.send("PUT", { [name]: value });
            const isPassed = name === "if-match"
              ? value === "*" && tag !== undefined
              : value !== "*" || tag === undefined;
            const expected = names === "none" ? 428 : isPassed ? 200 : 412;
            assertEquals(status, expected, `${name}: ${value}, ETag ${tag}`);
          }
        }
      }
    }
  }
  // Without a handler of a change, nothing is required.
  for (const [method, status] of [["POST", 405], ["OPTIONS", 204]] as const) {
    assertEquals((await byFolder.send(method)).status, status);
  }
  const { status } = await byFolder.send("PUT", {}, "/api/plain");
  assertEquals(status, 405);
});

for (const required of [undefined, false, true]) {
  Deno.test(`the document has the statuses and headers of preconditions (required: ${required})`, async () => {
    const resource = new Resource(
      required === undefined ? preconditions() : preconditions({ required }),
    );
    resource.tag = A;
    const document = await resource.send("GET", {}, "/openapi.json");
    const operations = (await document.json()).paths["/api"];
    const match = (tag: string) => ({ "if-match": tag });
    const noneMatch = (tag: string) => ({ "if-none-match": tag });
    const long = `"a"${", ".repeat(1_000)}`;
    const read = [
      [{}, 200],
      [noneMatch(A), 304],
      [match('"b"'), 412],
      [noneMatch(long), 431],
    ] as const;
    const change = [
      [match(A), 200],
      [{}, required ? 428 : 200],
      [match('"b"'), 412],
      [noneMatch(A), 412],
      [match(long), 431],
    ] as const;
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const isRead = method === "GET";
      const { parameters, responses } = operations[method.toLowerCase()];
      assertEquals(
        [
          Object.keys(responses).filter((each) => /304|412|428|431/.test(each)),
          parameters.map(({ name }: { name: string }) => name),
        ],
        isRead ? [["304", "412", "431"], ["if-none-match"]] : [
          required ? ["412", "428", "431"] : ["412", "431"],
          ["if-match", "if-none-match"],
        ],
      );
      for (const [headers, status] of isRead ? read : change) {
        const response = await resource.send(method, headers);
        assertEquals(response.status, status, JSON.stringify(headers));
        await assertDeclared(resource.app, `${method} /`, response);
      }
    }
  });
}

Deno.test("an unknown option of preconditions() causes an error", () => {
  assertThrows(
    () => preconditions({ require: true } as never),
    TypeError,
    'did you mean "required"?',
  );
});

Deno.test("a malformed ETag causes an error", () => {
  const request = new Request("http://localhost/");
  for (const tag of ["7", '"7', '"a,b"', '"a b"', 'w/"7"', '"a"b"', "", "*"]) {
    for (const compare of [assertMatch, notModified]) {
      const error = assertThrows(() => compare(request, tag), TypeError);
      assertEquals(
        error.message,
        `Cannot compare the ETag "${tag}": it must be a string in quotation marks without a comma, such as '"7"'`,
      );
    }
  }
});

Deno.test("a long list of tags is rejected without reading it", async () => {
  const resource = new Resource();
  resource.tag = A;
  const long = `"x"${" ".repeat(60_000)}"y"`;
  const most = `"x"${" ".repeat(1_994)}"y"`;
  // With quadratic time, this would take minutes instead of milliseconds.
  await assertCpuTime(10_000, async () => {
    for (const name of ["if-match", "if-none-match"]) {
      for (const method of ["GET", "PUT"]) {
        const { status } = await resource.send(method, { [name]: long });
        assertEquals(status, 431);
      }
    }
    const { status } = await resource.send("PUT", { "if-match": most });
    assertEquals(status, 412);
  });
});
