/** The strings that a form contains for the values of its other members. */
import { Framework, type FrameworkRequest } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { file, form } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import { z } from "zod";

const DATE = new Date("2026-02-03T04:05:06.789Z");

/** Values, and the fields that the server gets for them. */
const ROWS: readonly (readonly [value: unknown, fields: readonly string[]])[] =
  [
    ["text", ["text"]],
    ['"quoted"', ['"quoted"']],
    ["", [""]],
    [1.5, ["1.5"]],
    [true, ["true"]],
    [7n, ["7"]],
    [null, []],
    [undefined, []],
    [DATE, ["2026-02-03T04:05:06.789Z"]],
    [new URL("http://shop.example/ä"), ["http://shop.example/%C3%A4"]],
    [{ a: [1, { b: "c" }] }, ['{"a":[1,{"b":"c"}]}']],
    [{ at: DATE }, [`{"at":"2026-02-03T04:05:06.789Z"}`]],
    [{}, ["{}"]],
    [[], []],
    [["a", 2, DATE], ["a", "2", "2026-02-03T04:05:06.789Z"]],
    [[{ a: 1 }, { a: 2 }], ['{"a":1}', '{"a":2}']],
    [[["a", 1], []], ['["a",1]', "[]"]],
    [{ toJSON: () => "own" }, ["own"]],
  ];

const place = z.preprocess(
  (text) => JSON.parse(String(text)),
  z.object({ city: z.string() }),
);
const schema = {
  post: {
    body: form({
      fields: z.object({
        title: z.string(),
        at: z.coerce.date().optional(),
        place: place.optional(),
      }),
      files: { photo: file({ count: [0, 1] }) },
    }),
  },
};
const routes = {
  "echo/route.ts": {
    GET: ({ url }: FrameworkRequest) =>
      Response.json(new URL(url).searchParams.getAll("value")),
    POST: async (request: FrameworkRequest) =>
      Response.json((await request.formData()).getAll("value")),
  },
  "photos/route.ts": {
    schema,
    async POST({ validated }: FrameworkRequest<typeof schema.post>) {
      const { fields, files } = validated.body;
      let count = 0;
      for await (const { stream } of files) {
        count++;
        await stream.cancel();
      }
      return Response.json({ ...fields, count });
    },
  },
};
const { fetch } = new Framework({ manifest: routes });
const api = createClient<typeof routes>({ fetch });

Deno.test("next to a file, each value is sent as in JSON", async () => {
  for (const [value, fields] of ROWS) {
    const body = { value, file: new Blob(["a"]) };
    const { status, data } = await api.POST("/echo", { body });
    assertEquals([status, data], [200, fields], Deno.inspect(value));
  }
});

Deno.test("next to a file, a date and an object arrive at their schemas", async () => {
  const fields = { title: "a", at: DATE, place: { city: "Ulm" } };
  const body = { ...fields, photo: new Blob(["a"]) };
  const { status, data } = await api.POST("/photos", { body });
  const expected = { ...fields, at: DATE.toJSON(), count: 1 };
  assertEquals([status, data], [200, expected]);
});

Deno.test("a date in a query keeps its milliseconds", async () => {
  const query = { value: [DATE, "x", 1] as unknown as string[] };
  const { data } = await api.GET("/echo", { query });
  assertEquals(data, [DATE.toJSON(), "x", "1"]);
});

Deno.test("an empty file without a name makes a body a form without files", async () => {
  const json = await api.POST("/photos", { body: { title: "a" } });
  assertEquals(json.status, 415);
  const body = { title: "a", photo: new File([], "") };
  const { status, data } = await api.POST("/photos", { body });
  assertEquals([status, data], [200, { title: "a", count: 0 }]);
});
