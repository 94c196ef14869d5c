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

/** An application that returns the fields of a form. */
const routes = {
  "echo/route.ts": {
    POST: async (request: FrameworkRequest) => {
      const data = await request.formData();
      return Response.json(data.getAll("value"));
    },
  },
};

for (const [value, fields] of ROWS) {
  const name = typeof value === "bigint" ? "7n" : JSON.stringify(value);
  Deno.test(`next to a file, ${name} is sent as in JSON`, async () => {
    const { fetch } = new Framework({ manifest: routes });
    const api = createClient<typeof routes>({ fetch });
    const body = { value, file: new Blob(["a"]) };
    const { status, data } = await api.POST("/echo", { body });
    assertEquals([status, data], [200, fields]);
  });
}

Deno.test("next to a file, a date and an object arrive at their schemas", async () => {
  const schema = {
    post: {
      body: form({
        fields: z.object({
          at: z.coerce.date(),
          place: z.preprocess(
            (text) => JSON.parse(String(text)),
            z.object({ city: z.string() }),
          ),
        }),
        files: { photo: file() },
      }),
    },
  };
  const routes = {
    "photos/route.ts": {
      schema,
      async POST(request: FrameworkRequest<typeof schema.post>) {
        const { fields, files } = request.validated.body;
        for await (const { stream } of files) await stream.cancel();
        return Response.json(fields);
      },
    },
  };
  const { fetch } = new Framework({ manifest: routes });
  const api = createClient<typeof routes>({ fetch });
  const body = { at: DATE, place: { city: "Ulm" }, photo: new Blob(["a"]) };
  const { status, data } = await api.POST("/photos", { body });
  assertEquals(
    [status, data],
    [200, { at: DATE.toJSON(), place: { city: "Ulm" } }],
  );
});

Deno.test("a date in a query keeps its milliseconds", async () => {
  const routes = {
    "echo/route.ts": {
      GET: (request: FrameworkRequest) =>
        Response.json(new URL(request.url).searchParams.getAll("at")),
    },
  };
  const { fetch } = new Framework({ manifest: routes });
  const api = createClient<typeof routes>({ fetch });
  const query = { at: [DATE, "x", 1] as unknown as string[] };
  const { data } = await api.GET("/echo", { query });
  assertEquals(data, [DATE.toJSON(), "x", "1"]);
});

Deno.test("an empty file without a name makes a body a form without files", async () => {
  const schema = {
    post: {
      body: form({
        fields: z.object({ title: z.string() }),
        files: { photo: file({ count: [0, 1] }) },
      }),
    },
  };
  const routes = {
    "photos/route.ts": {
      schema,
      async POST({ validated }: FrameworkRequest<typeof schema.post>) {
        const files = await Array.fromAsync(validated.body.files);
        return Response.json({ ...validated.body.fields, count: files.length });
      },
    },
  };
  const { fetch } = new Framework({ manifest: routes });
  const api = createClient<typeof routes>({ fetch });
  const json = await api.POST("/photos", { body: { title: "a" } });
  assertEquals(json.status, 415);
  const body = { title: "a", photo: new File([], "") };
  const { status, data } = await api.POST("/photos", { body });
  assertEquals([status, data], [200, { title: "a", count: 0 }]);
});
