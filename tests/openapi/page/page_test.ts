import { openapi, type OpenApiDocument } from "@bough/framework/openapi";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { content } from "@bough/framework";
import { TestApplication } from "../../support/application.ts";
import { type Files, handler, INFO, routeOf } from "../support.ts";

/** The members of an operation that these tests read. */
interface Shown {
  readonly description?: string;
  readonly requestBody: { readonly content: Media };
  readonly responses: Readonly<Record<number, { readonly content?: Media }>>;
}

type Media = Readonly<
  Record<string, {
    encoding?: object;
    schema: { properties: object; type?: string };
  }>
>;

/** The operations on the page and in the document, by method. */
async function operationsOf(
  files: Files,
): Promise<Record<"shown" | "read", Record<string, Shown>>> {
  const plugins = [openapi({ info: INFO })];
  const application = TestApplication.of(files, { plugins });
  const load = async (path: string) => {
    const response = await application.fetch(path);
    const { paths } = await response.json() as OpenApiDocument;
    const items = Object.values(paths);
    return Object.assign({}, ...items) as Record<string, Shown>;
  };
  return {
    shown: await load("/docs/document.json"),
    read: await load("/openapi.json"),
  };
}

Deno.test("the page sends each value of an array in a form as one field", async () => {
  const { shown } = await operationsOf({
    "route.ts": routeOf({
      post: {
        body: z.object({
          title: z.string(),
          picture: z.file(),
          tags: z.array(z.string()),
        }).meta({ id: "Picture" }),
      },
    }),
  });
  const { content } = shown.post!.requestBody;
  assertEquals(content["multipart/form-data"]!.encoding, {
    tags: { style: "form", explode: true },
  });
});

Deno.test("the page omits the patterns of formats", async () => {
  const { shown, read } = await operationsOf({
    "route.ts": routeOf({
      post: {
        body: z.object({
          on: z.iso.date(),
          code: z.string().regex(/^a+$/),
        }),
      },
    }),
  });
  const propertiesOf = ({ requestBody }: Shown) =>
    requestBody.content["application/json"]!.schema.properties;
  assertEquals(propertiesOf(shown.post!), {
    on: { type: "string", format: "date" },
    code: { type: "string", pattern: "^a+$" },
  } as object);
  assertStringIncludes(JSON.stringify(propertiesOf(read.post!)), "\\d{4}");
});

Deno.test("the page shows the access of an operation in its description", async () => {
  const { shown, read } = await operationsOf({
    "books/route.ts": {
      ...routeOf({
        get: { access: ["owner", "admin"], description: "Lists books." },
        post: { access: "shared" },
      }),
      PUT: handler,
    },
  });
  const described = (operations: Record<string, unknown>) =>
    ["get", "post", "put"].map((method) =>
      (operations[method] as { description?: string }).description
    );
  assertEquals(described(shown), [
    "Lists books.\n\nAccess: `owner`, `admin`",
    "Access: `shared`",
    undefined,
  ]);
  assertEquals(described(read), ["Lists books.", undefined, undefined]);
});

Deno.test("the page shows the end and the replacement of a deprecated operation", async () => {
  const { shown, read } = await operationsOf({
    "old/[id]/route.ts": routeOf({
      get: {
        description: "Own",
        deprecated: {
          since: "2026-06-30",
          sunset: "2026-12-31",
          use: "/api/v2/[id]",
          why: "Too slow",
        },
      },
      put: { deprecated: true },
    }),
  });
  assertEquals(
    shown.get!.description,
    "Own\n\nDeprecated since 2026-06-30. May be removed from 2026-12-31. " +
      "Use [/api/v2/[id]](</api/v2/[id]>). Too slow",
  );
  assertEquals([read.get!.description, shown.put!.description], [
    "Own",
    undefined,
  ]);
});

Deno.test("the page shows events by their names, and messages of a socket as the content of the 101", async () => {
  const Item = z.object({ id: z.int() });
  const contentOf = async (get: object, status = 200) => {
    const { shown } = await operationsOf({ "route.ts": routeOf({ get }) });
    return shown.get!.responses[status]!.content;
  };
  const events = { status: Item, message: z.literal("Hello") };
  const socket = { receive: z.string(), send: Item };
  const media = [
    (await contentOf({ events }))!["text/event-stream"],
    (await contentOf({ socket }, 101))!.WebSocket,
  ];
  assertEquals(media.map((each) => Object.keys(each!.schema.properties)), [
    ["status", "message"],
    ["receive", "send"],
  ]);
  assertEquals(await contentOf({ socket: {} }, 101), undefined);
  // The page does not change a stream with unknown events.
  const response = { 200: content("text/event-stream") };
  const [declared, unknown] = [
    (await contentOf({ response }))!["text/event-stream"]!.schema,
    (await contentOf({ events: {} }))!["text/event-stream"]!.schema,
  ];
  assertEquals<unknown>([declared, unknown], [{ type: "string" }, undefined]);
});
