/** Contract tests send each declared media type, with a body of its schema. */
import { content, errorResponse } from "@bough/framework";
import { file } from "@bough/framework/uploads";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import type { TestModule } from "../support/application.ts";
import { check, found, type Handler, passesWith } from "./support.ts";

const VENDOR = "application/vnd.git-lfs+json";
const V1 = "application/vnd.shop.v1+json";
const V2 = "application/vnd.shop.v2+json";
const FORM = "application/x-www-form-urlencoded";

const RANGES = [
  "text/x-other",
  "application/x-other+json",
  "x-other/x-other+json",
  V1,
];

const named = z.object({ name: z.string().min(1).max(9) });
const titled = z.object({ title: z.string().min(1).max(9) });

/** Responds with the body, or with the fault of a type. */
const post = (
  body: unknown,
  fault?: (type: string, body: unknown) => boolean,
): TestModule => ({
  schema: { post: { body, response: { 200: z.string() } } },
  POST:
    (({ headers, validated }) =>
      fault?.(headers.get("content-type")!.split(";")[0]!, validated.body)
        ? new Response(null, { status: 500 })
        : new Response("done")) as Handler,
});

const BODIES = {
  vendor: [[VENDOR], content(VENDOR, named)],
  versions: [[V1, V2], [content(V1, named), content(V2, titled)]],
  text: [["text/csv"], content("text/csv", z.string().min(1).max(20))],
  ranges: [
    RANGES,
    [
      content("text/*", z.string().min(1).max(20)),
      content("*/*+json", z.object({ n: z.int() })),
      content("application/*+json", named),
      content(V1, titled),
    ],
  ],
  mixed: [
    ["application/json", FORM, "multipart/form-data", "text/plain"],
    [
      content("application/json", z.object({ n: z.int() })),
      content(FORM, named),
      content("multipart/form-data", titled),
      content("text/plain", z.string()),
    ],
  ],
} as const;

for (const [name, [types, body]] of Object.entries(BODIES)) {
  Deno.test(`declared types are sent with bodies that fit, and no alarm is false: ${name}`, async () => {
    const report = await check({ "x/route.ts": post(body) });
    assertEquals(found(report), []);
    // Every limit of every schema is tested.
    assertEquals(report.coverage[0]!.unseen.map(({ name }) => name), []);
    for (const type of types) {
      const failing = await check({
        "x/route.ts": post(body, (sent) => sent === type),
      });
      assert(found(failing).includes("failure POST /api/x"), type);
      const [request] = failing.failures[0]!.requests;
      assertEquals(request!.headers["content-type"]?.split(";")[0], type);
    }
  });
}

/** Accepts more than the contract, or more bodies of a type: replaces rejections. */
const lenient = (status: number, type?: string): TestModule => ({
  default: async (request, next) => {
    const response = await next().catch((error) =>
      errorResponse(error, request)
    );
    const sent = request.headers.get("content-type");
    return response.status === status && (type === undefined || sent === type)
      ? new Response("done")
      : response;
  },
});

const LENIENT = [
  ...Object.entries(BODIES).map(([name, [, body]]) =>
    [name, body, [lenient(415), lenient(400)]] as const
  ),
  ["each version", BODIES.versions[1], [lenient(400, V1), lenient(400, V2)]],
] as const;

for (const [name, body, guards] of LENIENT) {
  Deno.test(`an accepted body of an undeclared type or of another schema is found: ${name}`, async () => {
    for (const guard of guards) {
      const healthy = { "x/route.ts": post(body) };
      const files = { ...healthy, "x/middleware.ts": guard };
      const report = await check(files);
      assertEquals(found(report), ["refused POST /api/x"]);
      const [failure] = report.failures;
      assert(!await passesWith(files, failure!.test));
      assert(await passesWith(healthy, failure!.test));
    }
  });
}

Deno.test("given bodies are sent with the type whose schema they fit", async () => {
  const sent = new Set<string>();
  const report = await check({
    "x/route.ts": post(BODIES.versions[1], (type, body) => {
      sent.add(`${type} ${JSON.stringify(body)}`);
      return false;
    }),
  }, {
    generators: { "POST /api/x": { body: [{ name: "A" }, { title: "B" }] } },
  });
  assertEquals(found(report), []);
  assert(sent.has(`${V1} {"name":"A"}`));
  assert(sent.has(`${V2} {"title":"B"}`));
});

Deno.test("only files are sent with the type of a file", async () => {
  for (const type of ["text/csv", "video/mp4"]) {
    const POST: Handler = async ({ validated }) =>
      Response.json((await new Response(validated.body.stream).bytes()).length);
    const body = file({ maxSize: "1MiB", types: [type] });
    const report = await check({
      "x/route.ts": { schema: { post: { body } }, POST },
    });
    assertEquals(found(report), [], type);
  }
});
