/** Identities of the option `as`: how they log in, and how reports hide their secrets. */
import { failureText, type LogIn } from "@bough/framework/testing";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { z } from "zod";
import { Identity, masked } from "../../src/testing/identity.ts";
import { TestApplication } from "../support/application.ts";
import {
  check,
  checkFast,
  found,
  type Modules,
  passesFast,
} from "./support.ts";

Deno.test("reports mask values, their last words and values of cookies, unless they are short", () => {
  const secretsIn = (headers: Record<string, string>) =>
    new Identity("as", headers).secrets;
  const secrets = secretsIn({ a: "Bearer s3cret", b: "12345", c: "123456" });
  assertEquals(
    masked("Bearer s3cret, s3cret and s3cret, 12345, 123456, Bearer", secrets),
    "***, *** and ***, 12345, ***, Bearer",
  );
  const cookies = secretsIn({ cookie: "session=abcdefg; theme=dark-blue" });
  assertEquals(masked("session abcdefg dark-blue", cookies), "session *** ***");
});

/** An application with sessions, which a reset deletes. */
class Sessions {
  readonly #names = new Map<string, string>();
  readonly files: Modules = {
    "sessions/route.ts": {
      POST: async (request) => {
        const token = crypto.randomUUID();
        this.#names.set(token, (await request.json()).name);
        return Response.json({ token });
      },
    },
    "middleware.ts": {
      default: (request, next) => {
        const authorization = request.headers.get("authorization");
        const name = this.#names.get(authorization?.slice(7) ?? "");
        const { pathname } = new URL(request.url);
        if (pathname.endsWith("/sessions")) return next();
        if (name === undefined) return new Response(null, { status: 401 });
        if (pathname.endsWith("/admin") && name !== "root") {
          return new Response(null, { status: 403 });
        }
        if (pathname.endsWith("/broken")) throw new Error(authorization!);
        return next();
      },
    },
    "notes/route.ts": {
      schema: {
        post: {
          body: z.object({ text: z.string() }),
          response: { 201: z.object({ id: z.int() }) },
        },
      },
      POST: () => Response.json({ id: 1 }, { status: 201 }),
    },
    "admin/route.ts": { GET: () => new Response() },
  };
  readonly resets: number[] = [];

  readonly reset = (): void => {
    this.resets.push(this.#names.size);
    this.#names.clear();
  };
}

const logInAs = (name: string, calls: string[] = []): LogIn => async (app) => {
  calls.push(name);
  const response = await app.fetch(
    new Request("http://localhost/api/sessions", {
      method: "POST",
      body: JSON.stringify({ name }),
    }),
  );
  const { token } = await response.json();
  return { Authorization: `Bearer ${token}` };
};

async function checkSessions(as: Record<string, LogIn>, more: Modules = {}) {
  const { files, reset, resets } = new Sessions();
  const { app } = TestApplication.of({ ...files, ...more });
  const report = await checkFast(app, {
    as,
    skip: ["/sessions"],
    reset,
    properties: ["failure"],
    seed: 7,
    runs: 5,
  });
  return { app, report, resets };
}

Deno.test("identities log in through the application, and again after each reset", async () => {
  const calls: string[] = [];
  const as = { ann: logInAs("ann", calls), root: logInAs("root", calls) };
  const { report, resets } = await checkSessions(as);
  assertEquals(report.failures, []);
  assertEquals(report.untested, []);
  assert(resets.length > 2);
  assert(calls.length <= 2 * resets.length, `${calls.length}`);
  assertEquals(new Set(calls), new Set(["ann", "root"]));
});

Deno.test("an operation has the first identity that its guard accepts", async () => {
  const ann = await checkSessions({ ann: logInAs("ann") });
  assertEquals(
    ann.report.untested.map(({ operation }) => operation),
    ["GET /api/admin"],
  );
  const broken: Modules = {
    "broken/route.ts": { GET: () => new Response() },
    "broken/admin/route.ts": {
      GET: () => {
        throw new Error("oh");
      },
    },
  };
  const both = { ann: logInAs("ann"), root: logInAs("root") };
  const { app, report } = await checkSessions(both, broken);
  assertEquals(report.untested, []);
  assertEquals(found(report), [
    "failure GET /api/broken/admin",
    "failure GET /api/broken",
  ]);
  const [admin, own] = report.failures;
  assertEquals(own!.curl, [
    `curl -i -H "authorization: $ANN_AUTHORIZATION" 'http://localhost:8000/api/broken'`,
  ]);
  assert(own!.seen.includes("***"), own!.seen);
  assert(!/Bearer .*\d/.test(failureText(own!)));
  assertEquals(admin!.requests.map(({ as }) => as), ["root"]);
  assert(admin!.test.includes("headers: { ...as.root }"), admin!.test);
  const root = await logInAs("root")({
    fetch: (request) => Promise.resolve(app.fetch(request)),
  });
  assertEquals(await passesFast(admin!.test, app, { root } as never), false);
});

Deno.test("the error of a log-in names the identity", async () => {
  const files: Modules = { "a/route.ts": { GET: () => new Response() } };
  const errorOf = async (as: Record<string, unknown>) =>
    (await assertRejects(() => check(files, { as: as as never }))) as Error;
  const thrown = await errorOf({
    ann: {},
    bob: () => {
      throw new Error("no such user");
    },
  });
  assertEquals(
    thrown.message,
    'Cannot log in as "bob": no such user; correct the function "bob" of the option "as"',
  );
  const wrong = "the result must be headers, such as { name: value }";
  for (
    const [result, message] of [
      [undefined, wrong],
      ["Bearer b", wrong],
      [{ a: 1 }, wrong],
      [{ a: "s3cret\nb" }, wrong],
      [
        { headers: { a: "b" }, id: "" },
        "the result.id must be a string or a number",
      ],
    ] as const
  ) {
    const error = await errorOf({ bob: () => result });
    assert(
      error.message.startsWith(`Cannot log in as "bob": ${message}`),
      error.message,
    );
    assert(!error.message.includes("s3cret"));
  }
});

Deno.test("a report says that resets with log-ins take more than a third of the time", async () => {
  const wait = (milliseconds: number) =>
    new Promise<void>((go) => setTimeout(go, milliseconds));
  const GET = () => Response.json(1);
  const files: Modules = { "a/route.ts": { GET }, "b/route.ts": { GET } };
  const run = async (resets: number, logIns: number) => {
    const as = {
      alice: async () => {
        await wait(logIns);
        return { "x-user": "alice" };
      },
    };
    const reset = () => wait(resets);
    return await check(files, {
      as,
      reset,
      properties: ["failure", "methods"],
    });
  };
  const note =
    /^\d+ % of \d+ s went to \d+ resets with their log-ins; make them faster/;
  assertMatch((await run(2_500, 0)).slowReset!, note);
  assertMatch((await run(0, 2_500)).slowReset!, note);
  assertEquals((await run(1, 1)).slowReset, undefined);
});

/** Orders, whose status only the admin may set: a technician finds assigned ones. */
function ordersFor(mayChange: string): Modules {
  const owners = new Map<string, string>();
  const userOf = ({ headers }: Request) => headers.get("x-user")!;
  return {
    "orders/route.ts": {
      schema: {
        post: {
          body: z.object({ text: z.string() }),
          response: { 201: z.object({ id: z.uuid() }) },
        },
      },
      POST: (request) => {
        const id = crypto.randomUUID();
        owners.set(id, userOf(request));
        return Response.json({ id }, { status: 201 });
      },
    },
    "orders/[id]/status/route.ts": {
      schema: {
        put: {
          body: z.object({ status: z.enum(["open", "done"]) }),
          response: { 204: {}, 403: z.unknown(), 404: z.unknown() },
        },
      },
      PUT: (request) => {
        const [user, owner] = [userOf(request), owners.get(request.params.id!)];
        if (owner === undefined || user === "technician") {
          return Response.json(null, { status: 404 });
        }
        return user === mayChange
          ? new Response(null, { status: 204 })
          : Response.json(null, { status: 403 });
      },
    },
  };
}

Deno.test("an operation has the first identity for which its handler finds the resource", async () => {
  const as = Object.fromEntries(
    ["customer", "technician", "admin"]
      .map((user) => [user, { "x-user": user }]),
  );
  const untested = async (mayChange: string) =>
    (await check(ordersFor(mayChange), { as, properties: ["failure"] }))
      .untested.map(({ reason }) => reason);
  assertEquals(await untested("admin"), []);
  assertEquals(await untested("nobody"), [
    'every response to "technician" had the status 404; provide existing values with "generators"',
  ]);
});
