import { assertEquals, assertStringIncludes } from "@std/assert";
import { check, found } from "./support.ts";

const FORM = `import { z } from "zod";
  export const schema = {
    post: {
      body: z.object({ name: z.string().min(1).max(20), mood: z.enum(["good", "bad"]).optional() }),
      response: { 201: z.object({ name: z.string() }) },
    },
  };`;

const TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
];

for (const type of TYPES) {
  Deno.test(`a body is sent as ${type}, as it fits and as it does not`, async () => {
    const fault = (isFitting: boolean) => `
      import { errorResponse } from "@bough/framework";
      export default async (request, next) => {
        const type = request.headers.get("content-type") ?? "";
        const response = await next().catch((error) => errorResponse(error, request));
        return type.startsWith("${type}") && response.status === ${
      isFitting ? 201 : 400
    }
          ? new Response(null, { status: 418 }) : response;
      };`;
    const route = `${FORM}
      export const POST = ({ validated: { body } }) =>
        Response.json({ name: body.name }, { status: 201 });`;
    const good = await check({ "names/route.ts": route });
    assertEquals(found(good), []);
    for (const isFitting of [true, false]) {
      const report = await check({
        "names/route.ts": route,
        "names/middleware.ts": fault(isFitting),
      });
      assertEquals(found(report), [
        `${isFitting ? "declared" : "refused"} POST /api/names`,
      ]);
      const [request] = report.failures[0]!.requests;
      assertStringIncludes(request!.headers["content-type"]!, type);
    }
  });
}

Deno.test("a form with a file is sent, and one in which the file is a text is refused", async () => {
  const route = (body: string) =>
    `import { z } from "zod";
    export const schema = { post: { body: z.object({
      title: z.string().max(10),
      file: z.file().min(1).mime("text/plain"),
      more: z.array(z.file()).min(2).max(3).optional(),
    }) } };
    export const POST = async ({ validated: { body } }) => {
      ${body}
      return Response.json(await body.file.text());
    };`;
  const good = await check({ "files/route.ts": route("") });
  assertEquals(found(good), []);
  assertEquals(good.results.flatMap(({ note }) => note ?? []), []);
  const faulty = await check({
    "files/route.ts": route(
      `if (body.more?.length > 2) throw new Error("three");`,
    ),
  });
  assertEquals(found(faulty), ["failure POST /api/files"]);
  const { requests: [request] } = faulty.failures[0]!;
  assertStringIncludes(
    request!.headers["content-type"]!,
    "multipart/form-data; boundary=",
  );
  assertEquals(request!.body!.match(/name="more"; filename=/g)!.length, 3);
});

Deno.test("what no form can carry is not sent as one", async () => {
  const report = await check({
    "files/route.ts": `import { z } from "zod";
      export const schema = { post: { body: z.object({ size: z.int(), file: z.file() }) } };
      export const POST = () => { throw new Error("never sent"); };`,
  });
  assertEquals(found(report), []);
  assertStringIncludes(
    report.results[0]!.note!,
    "not tested: body: no generated value fits its schema",
  );
});

Deno.test("a form of which nothing is sent is no body", async () => {
  const route = (body: string) =>
    `import { z } from "zod";
    export const schema = { post: { body: z.object({ tag: z.string().max(3).optional() })${body} } };
    export const POST = () => new Response();`;
  assertEquals(found(await check({ "tags/route.ts": route("") })), []);
  const optional = await check({ "tags/route.ts": route(".optional()") });
  assertEquals(found(optional), []);
});
