import { errorResponse } from "@bough/framework";
import { file, form } from "@bough/framework/uploads";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../support/application.ts";
import { check, checkFast, found, type Handler } from "./support.ts";

const TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
];

const NAMES: TestModule = {
  schema: {
    post: {
      body: z.object({
        name: z.string().min(1).max(20),
        mood: z.enum(["good", "bad"]).optional(),
      }),
      response: { 201: z.object({ name: z.string() }) },
    },
  },
  POST: ({ validated: { body } }) =>
    Response.json({ name: body.name }, { status: 201 }),
};

/** Replaces the responses of a status to bodies of a type. */
const fault = (type: string, status: number): TestModule => ({
  default: async (request, next) => {
    const own = request.headers.get("content-type") ?? "";
    const response = await next()
      .catch((error) => errorResponse(error, request));
    return own.startsWith(type) && response.status === status
      ? new Response(null, { status: 418 })
      : response;
  },
});

for (const type of TYPES) {
  Deno.test(`valid and invalid bodies are sent as ${type}`, async () => {
    assertEquals(found(await check({ "names/route.ts": NAMES })), []);
    for (const [status, property] of [[201, "declared"], [400, "refused"]]) {
      const report = await check({
        "names/route.ts": NAMES,
        "names/middleware.ts": fault(type, status as number),
      });
      assertEquals(found(report), [`${property} POST /api/names`]);
      const [request] = report.failures[0]!.requests;
      assertStringIncludes(request!.headers["content-type"]!, type);
    }
  });
}

const post = (
  body: z.ZodType,
  POST: Handler = () => new Response(),
): TestModule => ({ schema: { post: { body } }, POST });

Deno.test("a form with a file is sent, and a form with a text as its file is refused", async () => {
  const body = z.object({
    title: z.string().max(10),
    file: z.file().min(1).mime("text/plain"),
    more: z.array(z.file()).min(2).max(3).optional(),
  });
  const route = (most: number) =>
    post(body, async ({ validated: { body } }) => {
      if (body.more?.length > most) throw new Error("three");
      return Response.json(await body.file.text());
    });
  const good = await check({ "files/route.ts": route(3) });
  assertEquals(found(good), []);
  assertEquals(good.results.flatMap(({ note }) => note ?? []), []);
  const faulty = await check({ "files/route.ts": route(2) });
  assertEquals(found(faulty), ["failure POST /api/files"]);
  const { requests: [request] } = faulty.failures[0]!;
  assertStringIncludes(
    request!.headers["content-type"]!,
    "multipart/form-data; boundary=",
  );
  assertEquals(request!.body!.match(/name="more"; filename=/g)!.length, 3);
});

Deno.test("lists of one value, of several and of none are sent in forms (behaviour 7.1)", async () => {
  const strings = z.array(z.string().max(9)).max(3);
  const lengths = new Set<string>();
  const ids = z.union([strings.length(1), z.literal("all")]);
  const tags = z.object({ tags: strings });
  const files = z.object({ tags: strings, files: z.array(z.file()).max(3) });
  const note = (length: number, name: string) =>
    lengths.add(`${name} ${Math.min(length, 2)}`);
  const app = {
    "tags/route.ts": post(tags, ({ headers, validated: { body } }) => {
      const [, type] = headers.get("content-type")!.split(/[/;]/);
      note(body.tags.length, type!);
      return new Response();
    }),
    "files/route.ts": post(files, ({ validated: { body } }) => {
      note(body.files.length, "files");
      note(body.tags.length, "fields");
      return new Response();
    }),
    "streamed/route.ts": post(
      form({
        fields: tags.extend({ ids }),
        files: { photo: file({ count: [0, 2] }) },
      }) as never,
      async ({ validated: { body } }) => {
        for await (const { stream } of body.files) {
          await Array.fromAsync(stream);
        }
        const { tags, ids } = body.fields;
        note(tags.length, "streamed");
        if (Array.isArray(ids)) note(ids.length, "ids");
        return new Response();
      },
    ),
  };
  assertEquals(found(await check(app)), []);
  const kinds = ["x-www-form-urlencoded", "form-data", "files", "streamed"];
  for (
    const each of [
      ...[...kinds, "fields", "ids"].map((kind) => `${kind} 1`),
      ...["files", "fields", "streamed"].flatMap((kind) => [
        `${kind} 0`,
        `${kind} 2`,
      ]),
    ]
  ) assert(lengths.has(each), each);
  const rejecting: TestModule = {
    default: async (request, next) =>
      (await request.clone().text()).match(/name="files"/g)?.length === 1
        ? new Response(null, { status: 400 })
        : await next(),
  };
  const report = await check({ ...app, "files/middleware.ts": rejecting });
  assert(report.failures.length > 0);
});

Deno.test("a note names values that forms cannot carry", async () => {
  const report = await check({
    "files/route.ts": post(z.object({ size: z.int(), file: z.file() }), () => {
      throw new Error("never sent");
    }),
  });
  assertEquals(found(report), []);
  assertStringIncludes(
    report.results[0]!.note!,
    "not tested: body: no generated value fits its schema",
  );
});

Deno.test("a form without members has no body", async () => {
  const body = z.object({ tag: z.string().max(3).optional() });
  for (const each of [body, body.optional()]) {
    assertEquals(found(await check({ "tags/route.ts": post(each) })), []);
  }
});

// Hundreds of large files would be gigabytes.
const MAX = 200_000;

const BODIES = {
  "a streamed file": file({ maxSize: MAX }),
  // Bodies differ only by the size of their file.
  "a form": z.object({ photo: z.file().max(MAX), title: z.literal("Sea") }),
};

for (const [name, body] of Object.entries(BODIES)) {
  Deno.test(`${name}: each of the largest sizes is sent once`, async () => {
    const route: TestModule = {
      schema: { post: { body, response: { 201: z.object({ id: z.uuid() }) } } },
      POST: async ({ validated: { body } }) => {
        const { stream, photo = stream } = body as Record<string, Blob>;
        await new Response(photo).bytes();
        return Response.json({ id: crypto.randomUUID() }, { status: 201 });
      },
    };
    const sizes: number[] = [];
    let ordinary = 0;
    const { app } = TestApplication.of({
      "photos/route.ts": route,
      "photos/[id]/route.ts": {
        GET: ({ params: { id } }) => Response.json({ id }),
      },
    });
    const report = await checkFast({
      inspect: () => app.inspect(),
      fetch: async (request) => {
        const { length } = await request.clone().bytes();
        if (length > MAX / 2 && length < 3 * MAX) sizes.push(length);
        else if (request.method === "POST" && length > 0) ordinary++;
        return await app.fetch(request);
      },
    }, { seed: 7, runs: 40 });
    assertEquals(found(report), []);
    // The largest size, the one below, and the one above the limit.
    assert(new Set(sizes).size >= 3, `${sizes}`);
    assert(sizes.length < 6, `${sizes}`);
    assert(ordinary > 40, `${ordinary}`);
  });
}
