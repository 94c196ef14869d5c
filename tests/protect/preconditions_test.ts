/** Preconditions with entity tags (RFC 9110, section 13). */
import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import {
  Framework,
  type FrameworkRequest,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import {
  assertMatch,
  notModified,
  preconditions,
} from "@bough/framework/protect";
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
    this.app = new Framework({
      manifest: {
        ...(middleware && { "middleware.ts": { default: middleware } }),
        "route.ts": { GET: read, PUT: change, PATCH: change, DELETE: change },
      },
      plugins: [openapi({ info: { title: "Test", version: "1" } })],
    });
  }

  async send(
    method: string,
    headers: Record<string, string>,
  ): Promise<Response> {
    return await this.app.fetch(
      new Request("http://localhost/api", { method, headers }),
    );
  }
}

const A = '"a"';
const WEAK = 'W/"a"';

/** Method, current tag, `If-Match`, `If-None-Match`, and the expected status. */
type Row = readonly [
  method: string,
  tag: string | undefined,
  match: string | undefined,
  noneMatch: string | undefined,
  status: number,
];

const NONE = undefined;

const TABLE: readonly Row[] = [
  // Without a condition, the method is performed.
  ["GET", A, NONE, NONE, 200],
  ["PUT", A, NONE, NONE, 200],
  ["PUT", NONE, NONE, NONE, 200],
  // If-Match, 13.1.1: "*" is true if there is a current representation.
  ["PUT", A, "*", NONE, 200],
  ["PUT", WEAK, "*", NONE, 200],
  ["PUT", NONE, "*", NONE, 412],
  ["DELETE", A, "*", NONE, 200],
  ["GET", A, "*", NONE, 200],
  // A list is true if one of its tags matches by strong comparison (8.8.3.2).
  ["PUT", A, A, NONE, 200],
  ["PATCH", A, A, NONE, 200],
  ["DELETE", A, A, NONE, 200],
  ["PUT", A, '"b"', NONE, 412],
  ["PUT", NONE, A, NONE, 412],
  ["PUT", A, '"b", "a"', NONE, 200],
  ["PUT", A, '"b","a","c"', NONE, 200],
  ["PUT", A, '"b" ,\t"a"', NONE, 200],
  ["PUT", A, ', "a",,', NONE, 200],
  ["PUT", A, '"b", "c"', NONE, 412],
  ["PUT", A, WEAK, NONE, 412],
  ["PUT", WEAK, WEAK, NONE, 412],
  ["PUT", WEAK, A, NONE, 412],
  ["PUT", A, '"A"', NONE, 412],
  ["PUT", A, "a", NONE, 412],
  ["PUT", A, '""', NONE, 412],
  ["PUT", '""', '""', NONE, 200],
  ["PUT", A, '"a', NONE, 412],
  ["PUT", A, '"aa"', NONE, 412],
  ["PUT", A, "", NONE, 412],
  ["PUT", A, '"b, a"', NONE, 412],
  ["PUT", '"é"', '"é"', NONE, 200],
  ["PUT", '"a\\"', '"a\\"', NONE, 200],
  ["GET", A, A, NONE, 200],
  ["GET", A, '"b"', NONE, 412],
  ["HEAD", A, '"b"', NONE, 412],
  // If-None-Match, 13.1.2: "*" is false if there is a current representation.
  ["PUT", NONE, NONE, "*", 200],
  ["PUT", A, NONE, "*", 412],
  ["PUT", WEAK, NONE, "*", 412],
  ["DELETE", A, NONE, "*", 412],
  ["GET", A, NONE, "*", 304],
  ["HEAD", A, NONE, "*", 304],
  // A list is false if one of its tags matches by weak comparison.
  ["GET", A, NONE, A, 304],
  ["HEAD", A, NONE, A, 304],
  ["GET", A, NONE, WEAK, 304],
  ["GET", WEAK, NONE, A, 304],
  ["GET", WEAK, NONE, WEAK, 304],
  ["GET", A, NONE, 'w/"a"', 200],
  ["GET", A, NONE, '"b"', 200],
  ["GET", A, NONE, '"b", W/"c", W/"a"', 304],
  ["GET", A, NONE, '"b", "c"', 200],
  ["GET", A, NONE, "", 200],
  ["GET", NONE, NONE, A, 404],
  ["PUT", A, NONE, A, 412],
  ["PUT", A, NONE, WEAK, 412],
  ["PUT", A, NONE, '"b"', 200],
  ["PUT", NONE, NONE, A, 200],
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

Deno.test("conditions are evaluated as in RFC 9110, section 13", async (test) => {
  assertEquals(TABLE.length >= 30, true);
  const resource = new Resource();
  for (const [method, tag, match, noneMatch, status] of TABLE) {
    const name = `${method}, ETag ${tag}, If-Match ${match}, ` +
      `If-None-Match ${noneMatch}: ${status}`;
    await test.step(name, async () => {
      resource.tag = tag;
      const response = await resource.send(method, {
        ...(match !== undefined && { "if-match": match }),
        ...(noneMatch !== undefined && { "if-none-match": noneMatch }),
      });
      const body = await response.text();
      assertEquals(response.status, status, body);
      if (status === 304) {
        assertEquals(
          [body, response.headers.get("etag")],
          ["", tag],
        );
        assertEquals(response.headers.get("cache-control"), "no-cache");
      }
      if (status === 412 && tag !== undefined) {
        assertEquals(response.headers.get("etag"), tag);
      }
    });
  }
});

Deno.test("with required, a change must name a version", async () => {
  const resource = new Resource();
  resource.required = true;
  const statuses = async (headers: Record<string, string> = {}) =>
    (await resource.send("PUT", headers)).status;
  assertEquals(await statuses(), 428);
  assertEquals(await statuses({ "if-none-match": "*" }), 200);
  resource.tag = A;
  assertEquals(await statuses(), 428);
  assertEquals(await statuses({ "if-match": A }), 200);
  assertEquals(await statuses({ "if-match": '"b"' }), 412);
});

Deno.test("preconditions() rejects only requests without a condition", async () => {
  const resource = new Resource(preconditions({ required: true }));
  const statuses = async (method: string, headers = {}) =>
    (await resource.send(method, headers)).status;
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    assertEquals(await statuses(method), 428);
  }
  // The handler decides about any condition, even if the resource is missing.
  assertEquals(await statuses("PUT", { "if-match": "*" }), 412);
  assertEquals(await statuses("PUT", { "if-none-match": "*" }), 200);
  assertEquals(await statuses("GET"), 404);
  assertEquals(await statuses("POST"), 405);
  assertEquals(await statuses("OPTIONS"), 204);
  const only = new Framework({
    manifest: {
      "middleware.ts": { default: preconditions({ required: true }) },
      "route.ts": { GET: () => new Response() },
    },
  });
  const put = await only.fetch(
    new Request("http://localhost/api", { method: "PUT" }),
  );
  assertEquals(put.status, 405);
});

Deno.test("preconditions() adds its statuses and headers to the document", async () => {
  for (const required of [undefined, false, true]) {
    const middleware = required === undefined
      ? preconditions()
      : preconditions({ required });
    const { app } = new Resource(middleware);
    const response = await app.fetch(
      new Request("http://localhost/openapi.json"),
    );
    const { get, put, patch, delete: remove } =
      (await response.json()).paths["/api"];
    const of = (operation: typeof get) => [
      (operation.parameters ?? []).map(({ name }: { name: string }) => name),
      Object.keys(operation.responses).filter((each) =>
        /304|412|428|431/.test(each)
      ),
    ];
    const statuses = required ? ["412", "428", "431"] : ["412", "431"];
    assertEquals(of(get), [["if-none-match"], ["304", "412", "431"]]);
    for (const operation of [put, patch, remove]) {
      assertEquals(of(operation), [["if-match", "if-none-match"], statuses]);
    }
  }
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

/** The number of rounds in which two writers change one version. */
const ROUNDS = 100;

/** A place of the check, between the reads and the writes of a handler. */
interface Writer {
  readonly read: () => { readonly text: string; readonly version: number };
  readonly PUT: (request: Request) => Promise<Response>;
}

const tagOf = (version: number) => `"${version}"`;
const later = () => new Promise<void>((resolve) => queueMicrotask(resolve));

/** Checks and writes without an await in between. */
function inMemory(): Writer {
  let note = { text: "", version: 0 };
  return {
    read: () => note,
    async PUT(request) {
      const text = await request.text();
      await later();
      assertMatch(request, tagOf(note.version), { required: true });
      note = { text, version: note.version + 1 };
      return new Response(null, { status: 204 });
    },
  };
}

/** Checks before an await, as a middleware does: the wrong place. */
function tooEarly(): Writer {
  let note = { text: "", version: 0 };
  return {
    read: () => note,
    async PUT(request) {
      assertMatch(request, tagOf(note.version), { required: true });
      const text = await request.text();
      await later();
      note = { text, version: note.version + 1 };
      return new Response(null, { status: 204 });
    },
  };
}

function database(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(`CREATE TABLE note (text TEXT, version INTEGER);
    INSERT INTO note VALUES ('', 0);`);
  return database;
}

/** Reads, checks early, awaits, and writes only the version that was checked. */
function inStatement(): Writer {
  const notes = database();
  const select = notes.prepare("SELECT text, version FROM note");
  const update = notes.prepare(
    "UPDATE note SET text = ?, version = version + 1 WHERE version = ?",
  );
  const read = () =>
    select.get() as unknown as { text: string; version: number };
  return {
    read,
    async PUT(request) {
      const { version } = read();
      assertMatch(request, tagOf(version), { required: true });
      const text = await request.text();
      await later();
      if (update.run(text, version).changes === 0) throw new HttpError(412);
      return new Response(null, { status: 204 });
    },
  };
}

/** Checks in the transaction that also writes. */
function inTransaction(): Writer {
  const notes = database();
  const select = notes.prepare("SELECT text, version FROM note");
  const update = notes.prepare("UPDATE note SET text = ?, version = ?");
  const read = () =>
    select.get() as unknown as { text: string; version: number };
  return {
    read,
    async PUT(request) {
      const text = await request.text();
      await later();
      notes.exec("BEGIN IMMEDIATE");
      try {
        const { version } = read();
        assertMatch(request, tagOf(version), { required: true });
        update.run(text, version + 1);
        notes.exec("COMMIT");
      } catch (error) {
        notes.exec("ROLLBACK");
        throw error;
      }
      return new Response(null, { status: 204 });
    },
  };
}

/** Lets two writers change the same version again and again; counts lost updates. */
async function lostUpdates({ read, PUT }: Writer): Promise<number> {
  const { fetch } = new Framework({
    manifest: {
      "middleware.ts": { default: preconditions({ required: true }) },
      "route.ts": {
        GET: () => {
          const { text, version } = read();
          return new Response(text, { headers: { etag: tagOf(version) } });
        },
        PUT: (request: FrameworkRequest) => PUT(request),
      },
    },
  });
  const url = "http://localhost/api";
  let lost = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const writer = async (name: string) => {
      const seen = await fetch(new Request(url));
      const text = `${await seen.text()}${name}`.slice(-10);
      await later();
      const { status } = await fetch(
        new Request(url, {
          method: "PUT",
          body: text,
          headers: { "if-match": seen.headers.get("etag")! },
        }),
      );
      return { status, text };
    };
    const writers = await Promise.all([writer("a"), writer("b")]);
    const done = writers.filter(({ status }) => status === 204);
    const refused = writers.filter(({ status }) => status === 412);
    assertEquals(done.length + refused.length, 2);
    // Both read the same version, so one of two successful changes is lost.
    lost += done.length - 1;
    if (done.length === 1) assertEquals(read().text, done[0]!.text);
  }
  return lost;
}

for (const make of [inMemory, inStatement, inTransaction]) {
  Deno.test(`two writers lose no update: ${make.name}`, async () => {
    assertEquals(await lostUpdates(make()), 0);
  });
}

Deno.test("two writers lose updates if the check comes before an await", async () => {
  assertEquals(await lostUpdates(tooEarly()), ROUNDS);
});
