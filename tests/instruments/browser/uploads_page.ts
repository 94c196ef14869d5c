/**
 * Uploads covers of the bookshop from a page in a real browser.
 * `deno task test:browser` runs these tests.
 */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Buffer } from "node:buffer";
import {
  Framework,
  type FrameworkRequest,
  type Plugin,
  respond,
} from "@bough/framework";
import { file, form } from "@bough/framework/uploads";
import { z } from "zod";
import { BOOKSHOP, bundledPage } from "../../client/support.ts";
import { TestServer } from "../../support/application.ts";
import { delay } from "../../support/until.ts";
import { openPage } from "./support.ts";

export const schema = {
  post: {
    body: form({
      fields: z.object({ title: z.string() }),
      files: {
        cover: file({ maxSize: "20MB", types: ["image/*"], count: [1, 2] }),
      },
    }),
    response: {
      201: z.array(z.object({ name: z.string(), size: z.int() })),
    },
  },
};

async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const saved = [];
  for await (const { name, stream } of request.validated.body.files) {
    let size = 0;
    // Browsers report progress every 50 ms.
    await delay(200);
    for await (const chunk of stream) size += chunk.length;
    saved.push({ name, size });
  }
  return respond(schema.post, 201, saved);
}

const uploads = new Framework({
  manifest: { "uploads/route.ts": { schema, POST } },
});

const HTML =
  `<!doctype html><ul></ul><input type="file" multiple><script type="module" src="/page.js"></script>`;

function page(script: string): Plugin {
  const text = (text: string, type: string) => ({
    GET: () => new Response(text, { headers: { "content-type": type } }),
  });
  return {
    name: "page",
    routes: () => [
      { path: "/", handlers: text(HTML, "text/html; charset=utf-8") },
      { path: "/page.js", handlers: text(script, "text/javascript") },
      {
        path: "/api/uploads",
        handlers: { POST: (request) => uploads.fetch(request) },
      },
    ],
  };
}

interface Result {
  readonly status: number;
  readonly data: unknown;
  readonly progress: readonly number[];
}

Deno.test("a page uploads two covers with progress, and gets an early 413", async () => {
  const script = await bundledPage(
    "../tests/instruments/browser/uploads_script.ts",
  );
  const apiDir = new URL("api/", BOOKSHOP);
  const app = new Framework({ apiDir, plugins: [page(script)] });
  await using server = await TestServer.start(app);
  await using opened = await openPage();
  const { page: tab } = opened;
  await tab.goto(server.url(""));
  await tab.waitForFunction('document.title === "ready"');
  assert(await tab.locator("img").count() >= 2);
  const send = (call: string) => tab.evaluate(call) as Promise<Result>;

  const emma = await Deno.readFile(
    fromFileUrl(new URL("covers/emma.svg", BOOKSHOP)),
  );
  const mimeType = "image/svg+xml";
  await tab.locator("input").setInputFiles([
    { name: "emma.svg", mimeType, buffer: Buffer.from(emma) },
    { name: "large.svg", mimeType, buffer: Buffer.alloc(20_000_000) },
  ]);
  const expected = [
    { name: "emma.svg", size: emma.length },
    { name: "large.svg", size: 20_000_000 },
  ];
  const sent = await send('send("xhr")');
  assertEquals([sent.status, sent.data], [201, expected]);
  assert(sent.progress.length > 1);
  assertEquals(sent.progress.at(-1), 1);
  assertEquals(sent.progress, sent.progress.toSorted((a, b) => a - b));
  assertEquals((await send('send("fetch")')).data, expected);

  const seen: unknown[] = [];
  for (let tries = 0; tries < 20; tries++) {
    const kind = tries % 2 === 0 ? "fetch" : "xhr";
    // Exceeds the limit of the form, or only of the file.
    const size = tries % 4 < 2 ? 60_000_000 : 30_000_000;
    const call =
      `send("${kind}", ${size}).then(({ status }) => status, String)`;
    seen.push(await tab.evaluate(call));
  }
  assertEquals(seen, Array(20).fill(413));
});
