/** A request whose input has about a size, in characters. */
export type Input = (size: number) => Request;

/** A reader of what clients send, and inputs that may be costly to read. */
export interface Reader {
  /** What is read, and by whom. */
  readonly name: string;
  /** The largest size that gets through. */
  readonly limit: number;
  /** The inputs by what they repeat. */
  readonly inputs: ReadonlyMap<string, Input>;
}

/** Neither a target nor all headers together get longer through Deno's server. */
const HEAD_LIMIT = 64_000;
/** A little less than `bodyLimit`. */
const BODY_LIMIT = 1_000_000;

/** Schemas that take everything, and that find fault with every value inside. */
const SCHEMAS = `
  function schemaOf(validate) {
    const input = () => ({ type: "object" });
    const jsonSchema = { input, output: input };
    return { "~standard": { version: 1, vendor: "test", validate, jsonSchema } };
  }
  function* faults(value, path) {
    if (typeof value !== "object" || value === null) {
      yield { message: "must not be " + value, path };
      return;
    }
    for (const key of Object.keys(value)) yield* faults(value[key], [...path, key]);
  }
  const open = schemaOf((value) => ({ value }));
  const closed = schemaOf((value) => ({ issues: [...faults(value, [])] }));`;

/** The routes that the inputs are sent to. */
export const FILES: Readonly<Record<string, string>> = {
  "route.js": "export const GET = () => new Response('here');",
  "open/[id]/route.js": `${SCHEMAS}
    const parts = { params: open, query: open, headers: open };
    export const schema = { get: parts, post: { ...parts, body: open } };
    export const GET = () => new Response("open");
    export const POST = GET;`,
  "closed/[id]/route.js": `${SCHEMAS}
    const parts = { params: closed, query: closed, headers: closed };
    export const schema = { get: parts, post: { body: closed } };
    export const GET = () => new Response("closed");
    export const POST = GET;`,
  "zod/[id]/route.ts": `import { z } from "npm:zod@^4.1.13";
    export const schema = {
      post: { body: z.union([z.strictObject({}), z.array(z.string().max(1))]) },
    };
    export const POST = () => new Response("zod");`,
  "files/[...]/route.js": `
    export const GET = (r) => new Response(r.wildcardParams.length + "");`,
  "text/[id]/route.js": `
    export const POST = async (r) => new Response((await r.text()).length + "");`,
  "json/[id]/route.js": `
    export const POST = async (r) => new Response(typeof await r.json());`,
  "form/[id]/route.js": `
    export const POST = async (r) => new Response([...await r.formData()].length + "");`,
};

/** A text again and again, a number in the place of `#`. */
function fill(unit: string, size: number): string {
  if (!unit.includes("#")) return unit.repeat(size / unit.length);
  const length = size / (unit.length + 4);
  return Array.from({ length }, (_, index) => unit.replaceAll("#", `${index}`))
    .join("");
}

type Wrap = (text: string) => string;

function reader(
  name: string,
  { limit, units, input }: {
    readonly limit: number;
    readonly units: readonly string[];
    readonly input: (text: string) => Request;
  },
): Reader {
  const inputs = units.map((unit) => {
    const sized: Input = (size) => input(fill(unit, size));
    return [unit, sized] as const;
  });
  return { name, limit, inputs: new Map(inputs) };
}

function target(before: string, units: readonly string[]): Reader {
  function input(text: string): Request {
    // As a server hands it over: raw.
    const value = `http://h${before}${text}`;
    return Object.defineProperty(new Request("http://h/"), "url", { value });
  }
  return reader(before, { limit: HEAD_LIMIT, units, input });
}

function header(
  path: string,
  name: string,
  wrap: Wrap = (text) => `"x"${text}"y"`,
): Reader {
  const method = name.startsWith("content-") ? "POST" : "GET";
  function input(text: string): Request {
    const headers = { "content-type": FORM, [name]: wrap(text) };
    const body = method === "GET" ? null : "a=b";
    return new Request(`http://h${path}`, { method, body, headers });
  }
  const units = [...MARKS, '"x", ', "; a=b"];
  const label = `${path} ${name} ${wrap("…")}`;
  return reader(label, { limit: HEAD_LIMIT, units, input });
}

function body(
  type: string,
  units: readonly string[],
  { to, wrap = (text) => text, limit = BODY_LIMIT }: {
    readonly to: string;
    readonly wrap?: Wrap;
    readonly limit?: number;
  },
): Reader {
  function input(text: string): Request {
    const headers = { "content-type": type };
    const init = { method: "POST", body: wrap(text), headers };
    return new Request(`http://h/api/${to}/1`, init);
  }
  const label = `${to}: ${type} ${wrap("…")}`;
  return reader(label, { limit, units, input });
}

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=b";
const PART = '--b\r\nContent-Disposition: form-data; name="a"';

const MARKS = [" ", ",", ";", '"', "=", "\\", "%", "-", ":", "a"];
const PATHS = ["/", "/a", "/..", "/%2e%2e", "\\", ".", "%41", "%", "%2F", "a"];
const QUERIES = ["&", "=", "%", "%41", "+", "a", "a=b&", "k#=v&", "?", "#"];
const ITEMS = [
  " ",
  "1",
  "[",
  "{",
  "0,",
  '"\\u0001",',
  '"\ud83d\ude00",',
  "[],",
];
const KEYS = ['"k#":0,', '"k#":[0,0],'];
const TEXTS = ["a", "\\u0001", "\ud83d\ude00", "/"];
const PARTS = [`${PART}\r\n\r\n1\r\n`, `${PART}; filename=#\r\n\r\n1\r\n`];
const LINES = ["\r\n", "\r\n--", "\r\n--b", "-", " ", "\n", "\r"];

/** All that reads what clients send. */
export const READERS: readonly Reader[] = [
  target("/x", PATHS),
  target("/api/files/x", PATHS),
  target("/api/closed/x", PATHS),
  target("/api/open/1?", QUERIES),
  target("/api/closed/1?", QUERIES),
  header("/api/open/1", "cookie"),
  header("/api/closed/1", "cookie"),
  header("/api", "host", (text) => text),
  ...["/docs", "/docs/start.js", "/openapi.json"].flatMap((path) => [
    header(path, "if-none-match"),
    header(path, "if-modified-since"),
  ]),
  header("/api/open/1", "content-encoding"),
  header("/api/open/1", "content-length", (text) => `1${text}1`),
  ...["", "a/b+json", "application/json;", `${FORM};`, MULTIPART].map((type) =>
    header("/api/open/1", "content-type", (text) => `${type}${text}x`)
  ),
  ...["open", "closed", "zod", "json"].flatMap((to) => {
    // What zod itself makes of issues fills the memory of a small machine.
    const limit = to === "zod" ? BODY_LIMIT / 4 : BODY_LIMIT;
    return [
      body("application/json", ITEMS, {
        to,
        wrap: (text) => `[${text}0]`,
        limit,
      }),
      body("a/b+json", KEYS, { to, wrap: (text) => `{${text}"z":0}`, limit }),
      body("", TEXTS, {
        to,
        // One key, as long as the list below it.
        wrap: (text) => `{"${text}":[${"0,".repeat(text.length)}0]}`,
        limit: limit / 3,
      }),
    ];
  }),
  ...["open", "closed", "form"].flatMap((to) => [
    body(FORM, [...QUERIES, "\u0001=1&"], { to }),
    body(MULTIPART, PARTS, { to, wrap: (text) => `${text}--b--\r\n` }),
    body(MULTIPART, LINES, {
      to,
      wrap: (text) => `${PART}\r\n\r\n${text}\r\n--b--\r\n`,
    }),
  ]),
  ...["open", "closed"].map((to) =>
    body(MULTIPART, [...MARKS, "\r\nX: 1", "\r\nX-#: 1", "--b\r\n"], {
      to,
      wrap: (text) =>
        `${PART}${text}x\r\nContent-Type: a/b;${text}x\r\n\r\n1\r\n--b--\r\n`,
      limit: BODY_LIMIT / 2,
    })
  ),
  body("text/plain", ["a", "\u00e9"], { to: "text", limit: BODY_LIMIT / 2 }),
];
