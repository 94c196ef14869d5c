/** The option `generators` adds values to the generated ones, or replaces them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import fc from "fast-check";
import { z } from "zod";
import { requestOf } from "../../src/testing/plan.ts";
import { check, found, type Modules } from "./support.ts";

/** A route that knows one name, and does not declare the 404 of all others. */
const PROFILES: Modules = {
  "profiles/[name]/route.ts": {
    schema: { get: { response: { 200: {} } } },
    GET: ({ params: { name } }) => {
      if (name !== "bob") throw new HttpError(404);
      return new Response();
    },
  },
};

const NAME = "GET /profiles/[name]";

Deno.test("values are added to the generated ones, so an undeclared 404 is found", async () => {
  for (const seed of [1, 2, 3]) {
    const generators = { [NAME]: { params: [{ name: "bob" }] } };
    const report = await check(PROFILES, { generators, seed });
    assertEquals(found(report), [`declared GET /api/profiles/[name]`]);
    assertEquals(report.untested, []);
  }
});

Deno.test("with only, no other values are sent", async () => {
  for (const params of [[{ name: "bob" }], fc.constant({ name: "bob" })]) {
    const generators = { [NAME]: { params, only: true } };
    assertEquals(found(await check(PROFILES, { generators })), []);
  }
});

Deno.test("bodies are changed around the given ones", async () => {
  const vatId = z.string().refine((id) => id === "DE136695976");
  const note = z.string().max(50).optional();
  const files: Modules = {
    "invoices/route.ts": {
      schema: {
        post: { body: z.object({ vatId, note, net: z.int().min(0) }) },
      },
      POST: ({ validated: { body } }) => {
        if (body.note?.length === 50) throw new Error("edge");
        return new Response();
      },
    },
  };
  const body = [{ vatId: "DE136695976", note: "Thanks", net: 1 }];
  const generators = { "POST /invoices": { body } };
  assertEquals(found(await check(files, { generators })), [
    "failure POST /api/invoices",
  ]);
});

const uploads = (take: (file: File) => Promise<void>): Modules => ({
  "files/route.ts": {
    schema: { post: { body: z.object({ file: z.file() }) } },
    POST: async ({ validated: { body: { file } } }) => {
      await take(file);
      return new Response();
    },
  },
});

async function uploaded(file: File | typeof fc.constant): Promise<string[]> {
  const all: string[] = [];
  const files = uploads(async (file) => {
    all.push([file.name, file.type, await file.bytes()].join(" | "));
  });
  const body = file instanceof File
    ? [{ file }]
    : fc.constant(1).map(() => ({ file: new File(["made"], "made.txt") }));
  const generators = { "POST /files": { body, only: true } };
  const report = await check(files, {
    generators,
    properties: ["failure"],
    runs: 5,
  });
  assertEquals(found(report), []);
  assert(all.length > 0);
  return [...new Set(all.slice(0, 5))];
}

Deno.test("a file is sent with its bytes, its name and its type", async () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10]);
  for (
    const [bytes, name, type] of [
      [new TextEncoder().encode("text ü"), "ü 🙂.txt", "text/plain"],
      [png, "photo.png", "image/png"],
      // A byte order mark is a part of the file.
      [new Uint8Array([0xef, 0xbb, 0xbf, 65]), "bom.csv", "text/csv"],
      [new Uint8Array(), "empty", "application/octet-stream"],
    ] as const
  ) {
    const file = new File([bytes], name, { type });
    assertEquals(await uploaded(file), [`${name} | ${type} | ${bytes.join()}`]);
  }
  assertEquals(await uploaded(fc.constant), [
    `made.txt | application/octet-stream | ${new TextEncoder().encode("made")}`,
  ]);
});

Deno.test("a failure with a file of bytes can be repeated", async () => {
  const bytes = new Uint8Array([255, 0, 254]);
  const fail = () => Promise.reject(new Error("no disk"));
  const report = await check(uploads(fail), {
    generators: {
      "POST /files": { body: [{ file: new File([bytes], "f") }], only: true },
    },
    properties: ["failure"],
  });
  const [failure] = report.failures;
  const request = requestOf(failure!.requests.at(-1)!, {
    origin: "http://localhost",
    signal: AbortSignal.timeout(1_000),
  });
  const file = (await request.formData()).get("file") as File;
  assertEquals(await file.bytes(), bytes);
  assertStringIncludes(failure!.curl.at(-1)!, "| base64 -d | curl -i -X POST");
  assertStringIncludes(failure!.test, "Uint8Array.fromBase64(");
});

Deno.test("a wildcard gets the values of the member [...], as in the client", async () => {
  const files: Modules = {
    "[lang]/files/[...]/route.ts": {
      schema: { get: { response: { 200: {}, 404: Problem } } },
      GET: ({ params: { lang }, wildcardParams = [] }) => {
        if (lang !== "en" || wildcardParams.join("/") !== "css/a.css") {
          throw new HttpError(404);
        }
        return new Response();
      },
    },
  };
  const name = "GET /[lang]/files/[...]";
  const { untested: [none] } = await check(files);
  assertEquals(
    none!.reason,
    'every response had the status 404; provide existing values with "generators", such as params: [{ "[...]": ["a", "b.txt"] }]',
  );
  const params = [{ lang: "en", "[...]": ["css", "a.css"] }];
  for (const only of [false, true]) {
    const generators = { [name]: { params, only } };
    const report = await check(files, { generators });
    assertEquals([found(report), report.untested], [[], []]);
  }
});
