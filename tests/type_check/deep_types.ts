/** Types of a large application with deep schemas: the compiler gives up on none. */
import { boughIn } from "../cli/support.ts";
import { type Subjects, writeFiles } from "./compiler.ts";

const ROUTES = 400;
const FOLDER_DEPTH = 12;
// At 10, zod's own `z.infer` is a TS2589.
const SCHEMA_DEPTH = 8;

/** Numbers from 0. */
const upTo = (count: number): number[] => [...Array(count).keys()];

/** An object in an object, and so on; the innermost has a text named `end`. */
const nested = upTo(SCHEMA_DEPTH).reduce(
  (inner, level) => `z.object({ level${level}: z.array(${inner}).optional() })`,
  "z.object({ end: z.string() })",
);

/** Schemas that refer to themselves and to each other, unions, and depth. */
const SCHEMAS = `import { z } from "zod";
export const Category = z.object({
  name: z.string(),
  get parent() { return Category.optional(); },
  get children() { return z.array(Category); },
});
export const Author = z.object({
  name: z.string(),
  get books() { return z.array(Book); },
});
export const Book = z.object({
  title: z.string(),
  added: z.iso.datetime(),
  get author() { return Author; },
  get related() { return z.record(z.string(), z.array(Book)); },
});
export const Shape = z.discriminatedUnion("kind", [
${
  upTo(30).map((kind) =>
    `  z.object({ kind: z.literal("kind${kind}"), value${kind}: z.number() }),\n`
  ).join("")
}]);
export const Tree = z.union([z.string(), z.object({ get left() { return Tree; }, get right() { return Tree; } })]);
export const Nested = ${nested};
export const Json = z.json();
type Log = readonly (Date | Log)[];
export const Log: z.ZodType<Log> = z.lazy(() => z.array(z.union([z.date(), Log])));
`;

/** A route whose method takes and sends a schema. */
function route(schema: string, url: string): string {
  const up = "../".repeat(url.split("/").length);
  return `import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import { ${schema} } from "${up}schemas.ts";
import type { RequestOf } from "${up}api.types.ts";

export const schema = {
  post: {
    query: z.object({ page: z.coerce.number().default(1) }),
    body: ${schema},
    response: {
      200: ${schema},
      201: { body: z.array(${schema}), headers: z.object({ location: z.string() }) },
      404: z.object({ message: z.string() }),
    },
  },
} satisfies RouteSchema;

export function POST(request: RequestOf<"${url}", "POST">): Response {
  const { query, body } = request.validated;
  if (query.page > 9) return respond(schema.post, 404, { message: "none" });
  if (query.page > 8) return respond(schema.post, 201, [body], { headers: { location: "/" } });
  return respond(schema.post, 200, body);
}
`;
}

/** A folder in a folder, and so on, each with a param and a contract. */
const FOLDERS = upTo(FOLDER_DEPTH).map((level) => `[param${level}]`);
const DEEP = `/deep/${FOLDERS.join("/")}`;
const NAMES = ["Category", "Author", "Book", "Shape", "Tree", "Nested"]
  .concat("Json", "Log");

function applicationFiles(): Record<string, string> {
  const files: Record<string, string> = { "schemas.ts": SCHEMAS };
  for (const name of NAMES) {
    const url = `/${name.toLowerCase()}`;
    files[`api${url}/route.ts`] = route(name, url);
  }
  files[`api${DEEP}/route.ts`] = route("Book", DEEP);
  for (const level of FOLDERS.keys()) {
    const folder = FOLDERS.slice(0, level + 1).join("/");
    files[`api/deep/${folder}/middleware.ts`] = `import { z } from "zod";
export const contract = {
  params: z.object({ param${level}: z.string() }),
  headers: z.object({ "x-level${level}": z.string().optional() }),
  response: { 4${level + 10}: z.object({ level${level}: z.number() }) },
};`;
  }
  for (const index of upTo(ROUTES)) {
    const group = ["", "(admin)/", "(staff)/(inner)/"][index % 3];
    files[`api/${group}item${index}/[id]/[...]/route.ts`] =
      "export const GET = () => new Response();\nexport const PUT = GET;";
  }
  return files;
}

const PARAMS = upTo(FOLDER_DEPTH).map((level) => `param${level}: "1"`);
const WAY = upTo(SCHEMA_DEPTH).reverse()
  .map((level) => `.level${level}?.[0]?`).join("");
const BOOK =
  '{ title: "a", added: "b", author: { name: "c", books: [] }, related: {} }';

const CLIENT = `import { createClient } from "@bough/framework/client";
import type { z } from "zod";
import type { Routes } from "./api.types.ts";
import type { Json } from "./schemas.ts";
const api = createClient<Routes>();

const category = await api.POST("/category", { body: { name: "a", children: [{ name: "b", children: [] }] } });
if (category.status === 200) {
  const name: string | undefined = category.data.children[0]?.children[0]?.parent?.name;
  console.log(name);
  // @ts-expect-error it is a text
  category.data.children[0]!.children[0]!.name.nope;
}
const book = await api.POST("/book", { body: ${BOOK} });
if (book.status === 201) console.log(book.data[0]?.author.books[0]?.related["x"]?.[0]?.title.length);
await api.POST("/author", { body: { name: "a", books: [] }, query: { page: "1" } });
const shape = await api.POST("/shape", { body: { kind: "kind7", value7: 1 } });
if (shape.status === 200 && shape.data.kind === "kind29") console.log(shape.data.value29);
// @ts-expect-error the value of another kind
await api.POST("/shape", { body: { kind: "kind7", value8: 1 } });
const tree = await api.POST("/tree", { body: { left: "a", right: { left: "b", right: "c" } } });
if (tree.status === 200 && typeof tree.data !== "string") console.log(tree.data.left);
const nested = await api.POST("/nested", { body: {} });
if (nested.status === 200) {
  const end: string | undefined = nested.data?${WAY}.end;
  console.log(end);
}
const json = await api.POST("/json", { body: { list: [1, [null]] } });
if (json.status === 200) {
  const same: z.infer<typeof Json> = json.data;
  console.log(same);
  // @ts-expect-error it may be an object
  console.log(json.data.length);
}
const log = await api.POST("/log", { body: [new Date(), [new Date()]] });
if (log.status === 200 && typeof log.data[0] === "object") {
  const at: string | unknown[] | undefined = log.data[0][0];
  console.log(at);
  // @ts-expect-error a date is a string in JSON
  log.data[0][0]?.getTime();
}
const deep = await api.POST("${DEEP}", {
  params: { ${PARAMS.join()} },
  headers: { "x-level3": "1" },
  body: ${BOOK},
});
if (deep.status === 412) console.log(deep.data.level2.toFixed());
await api.PUT("/item390/[id]/[...]", { params: { id: "1", "[...]": ["a"] }, body: 1 });
// @ts-expect-error all params but the first
await api.POST("${DEEP}", { params: { ${
  PARAMS.slice(1).join()
} }, body: ${BOOK} });
`;

export const DEEP_TYPES: Subjects = {
  "the compiler reads all types of a large application with deep schemas": {
    async write(folder) {
      await writeFiles(folder, applicationFiles());
      await folder.write("client.ts", CLIENT);
      await boughIn(folder.path, "types", "api", "-o", "api.types.ts");
      return ["client.ts"];
    },
  },
};
