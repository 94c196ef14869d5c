/**
 * Measures the CPU time of all costly inputs in a process of its own, which no other test
 * shares. Prints the number of inputs, their faults, and those of a quadratic reader.
 */
import process from "node:process";
import type { StandardSchemaV1 } from "@bough/framework";
import { accessLog } from "@bough/framework/log";
import { openapi } from "@bough/framework/openapi";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";

/** A kind of request that may be costly to read. */
interface Input {
  /** The place of the input, and the string that it repeats. */
  readonly name: string;
  /** The size in bytes at which its cost is measured. */
  readonly limit: number;
  /** The outcome that shows that Bough has read the whole input. */
  readonly expected: string;
  /** Creates a request of about a size in bytes. */
  create(size: number): Request;
}

/** Deno's server accepts neither a longer target nor longer headers. */
const HEAD_LIMIT = 64_000;
/** A quarter of `bodyLimit`, in which quadratic cost shows as well. */
const BODY_LIMIT = 250_000;

/** The value that a handler received last. */
let received: unknown;

/**
 * The outcome of the last response: the status, with the detail or the parts of an error,
 * or with the share of the input that the handler received.
 */
function outcomeOf(status: number, text: string, size: number): string {
  const value = received;
  received = undefined;
  if (status < 400) {
    if (value === undefined) return `${status}`;
    const { length } = JSON.stringify(value);
    return `${status} ${length > size / 100 ? "much" : "little"}`;
  }
  const { detail, errors = [{ detail }] } = JSON.parse(text);
  const [reason] = /^(?:The|This|A|No) [\w ]+/.exec(errors[0].detail) ?? [];
  const parts = new Set(errors.map((error: { in: string }) => error.in));
  return `${status} ${reason?.trim() ?? [...parts].join(" ")}`;
}

function receive(value: unknown): Response {
  received = value;
  return new Response();
}

function schemaOf(
  validate: StandardSchemaV1["~standard"]["validate"],
): StandardSchemaV1 {
  const input = () => ({ type: "object" });
  const jsonSchema = { input, output: input };
  return {
    "~standard": { version: 1, vendor: "test", validate, jsonSchema },
  } as StandardSchemaV1;
}

interface Issue {
  readonly message: string;
  readonly path: readonly string[];
}

/** An issue for every value inside of a value. */
function* issuesIn(
  value: unknown,
  path: readonly string[] = [],
): Generator<Issue> {
  if (typeof value !== "object" || value === null) {
    yield { message: `must not be ${value}`, path };
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    yield* issuesIn(inner, [...path, key]);
  }
}

const open = schemaOf((value) => ({ value }));
const closed = schemaOf((value) => ({ issues: [...issuesIn(value)] }));
const openParts = { params: open, query: open, headers: open };
const closedParts = { params: closed, query: closed, headers: closed };

const application = TestApplication.of({
  "route.ts": { GET: () => new Response() },
  "open/[id]/route.ts": {
    schema: { get: openParts, post: { ...openParts, body: open } },
    GET: ({ validated }) => receive(validated),
    POST: ({ validated }) => receive(validated),
  },
  "closed/[id]/route.ts": {
    schema: { get: closedParts, post: { body: closed } },
    GET: () => new Response(),
    POST: () => new Response(),
  },
  "zod/[id]/route.ts": {
    schema: {
      post: {
        body: z.union([z.strictObject({}), z.array(z.string().max(1))]),
      },
    },
    POST: () => new Response(),
  },
  "files/[...]/route.ts": {
    GET: ({ wildcardParams }) => receive(wildcardParams),
  },
  "text/[id]/route.ts": {
    POST: async (request) => receive(await request.text()),
  },
  "json/[id]/route.ts": {
    POST: async (request) => receive(await request.json()),
  },
  "form/[id]/route.ts": {
    POST: async (request) => receive([...await request.formData()]),
  },
  "quadratic/[...]/route.ts": {
    GET: ({ url }) => {
      let count = 0;
      for (let end = 0; end < url.length; end++) {
        for (let at = 0; at < end; at += 16) count++;
      }
      return receive(url + count);
    },
  },
}, {
  allowedHosts: ["h"],
  plugins: [openapi({ info: { title: "Linear", version: "1.0.0" } })],
  middleware: [accessLog({ write: () => {} })],
});

/** Repeats a string up to a size; the index of the repetition replaces `<n>`. */
function fill(unit: string, size: number): string {
  const { length } = new TextEncoder().encode(unit.replace("<n>", "12345"));
  const count = Math.floor(size / length);
  if (!unit.includes("<n>")) return unit.repeat(count);
  return Array.from(
    { length: count },
    (_, index) => unit.replace("<n>", `${index}`),
  ).join("");
}

/** The size and the outcomes of inputs at one place. */
interface Place {
  readonly limit?: number;
  readonly expected: string;
  /** The outcomes of the units that differ. */
  readonly except?: Readonly<Record<string, string>>;
}

function inputs(
  name: string,
  units: readonly string[],
  { limit = HEAD_LIMIT, expected, except = {} }: Place,
  create: (text: string) => Request,
): Input[] {
  return units.map((unit) => ({
    name: `${name} ${JSON.stringify(unit)}`,
    limit,
    expected: except[unit] ?? expected,
    create: (size) => create(fill(unit, size)),
  }));
}

function targets(
  before: string,
  units: readonly string[],
  place: Place,
): Input[] {
  return inputs(before, units, place, (text) => {
    // Bough gets the URL as the client sent it; `new Request()` would change it.
    const value = `http://h${before}${text}`;
    return Object.defineProperty(new Request("http://h/"), "url", { value });
  });
}

function headers(
  path: string,
  name: string,
  { wrap = (text) => `"x"${text}"y"`, body, ...place }: Place & {
    readonly wrap?: (text: string) => string;
    readonly body?: string | ((text: string) => string);
  },
): Input[] {
  const method = body === undefined ? "GET" : "POST";
  return inputs(
    `${path} ${name} ${wrap("…")}`,
    MARKS,
    place,
    (text) =>
      new Request(`http://h${path}`, {
        method,
        headers: { "content-type": FORM, [name]: wrap(text) },
        body: typeof body === "function" ? body(text) : body ?? null,
      }),
  );
}

function bodies(
  to: string,
  type: string,
  units: readonly string[],
  { wrap = (text) => text, ...place }: Place & {
    readonly wrap?: (text: string) => string;
  },
): Input[] {
  const name = `${to}: ${type} ${wrap("…")}`;
  return inputs(
    name,
    units,
    { limit: BODY_LIMIT, ...place },
    (text) =>
      new Request(`http://h/api/${to}/1`, {
        method: "POST",
        headers: { "content-type": type },
        body: wrap(text),
      }),
  );
}

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=b";
const PART = '--b\r\nContent-Disposition: form-data; name="a"';

const MARKS = ' ,;"=\\%-:a'.split("").concat('"x", ', "; a=b");
const PART_MARKS = ["\r\nX: 1", "\r\nX-<n>: 1", "--b\r\n", ';a="\\"x', ';a="x'];
const PATHS = ["/", "/a", "/..", "/%2e%2e", "\\", ".", "%41", "%", "%2F", "a"];
const QUERIES = [..."&=%+a?#", "%41", "a=b&", "k<n>=v&"];
const ITEMS = [..." 1[{", "0,", '"\\u0001",', '"\u{1f600}",', "[],"];
const KEYS = ['"k<n>":0,', '"k<n>":[0,0],'];
const TEXTS = ["a", "\\u0001", "\u{1f600}", "/"];
const PARTS = [`${PART}\r\n\r\n1\r\n`, `${PART}; filename=<n>\r\n\r\n1\r\n`];
const LINES = ["\r\n", "\r\n--", "\r\n--b", "-", " ", "\n", "\r"];

const MUCH = "200 much";
const LITTLE = "200 little";
const ALL_PARTS = "400 params query headers";
const NO_ROUTE = "404 No route matches this path";
const BAD_ESCAPE = "400 A percent escape in the path is malformed";
const BAD_TYPE = "415 The body is";
const NOT_JSON = "400 The body is not valid JSON";
const NO_FORM = "400 The body is not a valid form";
const LONG_HEADERS =
  "400 A part of the form has headers of more than 16384 bytes";

const HEADS: readonly Input[] = [
  ...targets("/x", PATHS, { expected: NO_ROUTE, except: { "%": BAD_ESCAPE } }),
  ...targets("/api/files/x", PATHS, {
    expected: MUCH,
    except: {
      "/": LITTLE,
      "\\": LITTLE,
      "/..": NO_ROUTE,
      "/%2e%2e": NO_ROUTE,
      "%": BAD_ESCAPE,
      "%2F": "400 A wildcard segment contains an encoded path separator",
    },
  }),
  ...targets("/api/closed/x", PATHS, {
    expected: ALL_PARTS,
    except: {
      "/a": NO_ROUTE,
      "/..": NO_ROUTE,
      "/%2e%2e": NO_ROUTE,
      "%": BAD_ESCAPE,
    },
  }),
  ...targets("/api/open/1?", QUERIES, {
    expected: MUCH,
    except: { "&": LITTLE, "#": LITTLE },
  }),
  ...targets("/api/closed/1?", QUERIES, {
    expected: ALL_PARTS,
    // 100 issues are the most that a response reports.
    except: { "a=b&": "400 params query", "k<n>=v&": "400 params query" },
  }),
  ...headers("/api/open/1", "cookie", { expected: MUCH }),
  ...headers("/api/closed/1", "cookie", { expected: ALL_PARTS }),
  ...headers("/api", "host", {
    wrap: (text) => text,
    expected: "400 This server does not serve the Host of the request",
  }),
  ...headers("/api/open/1", "content-encoding", {
    body: "a=b",
    expected: "415 The body is encoded with",
  }),
  ...headers("/api/open/1", "content-length", {
    wrap: (text) => `1${text}1`,
    body: "a=b",
    expected: MUCH,
  }),
  ...["", "application/json"].flatMap((type) =>
    headers("/api/open/1", "content-type", {
      wrap: (text) => `${type}${text}x`,
      body: "{}",
      expected: BAD_TYPE,
      except: { ";": MUCH, "; a=b": MUCH },
    })
  ),
  ...Object.entries({
    "application/json;": "{}",
    [`${FORM};`]: "a=b",
    [MULTIPART]: (text: string) => `--b${`${text}x`.split(";")[0]}--`,
  }).flatMap(([type, body]) =>
    headers("/api/open/1", "content-type", {
      wrap: (text) => `${type}${text}x`,
      body,
      expected: MUCH,
    })
  ),
];

const BODIES: readonly Input[] = [
  ...["open", "closed", "zod", "json"].flatMap((to) => {
    // The issues of zod are larger than the memory of a small machine.
    const limit = to === "zod" ? BODY_LIMIT / 4 : BODY_LIMIT;
    const isRead = to === "open" || to === "json";
    const expected = isRead ? MUCH : "400 body";
    return [
      ...bodies(to, "application/json", ITEMS, {
        wrap: (text) => `[${text}0]`,
        limit,
        expected,
        except: {
          "[": NOT_JSON,
          "{": NOT_JSON,
          ...(isRead && { " ": LITTLE, "1": LITTLE }),
        },
      }),
      ...bodies(to, "application/json", KEYS, {
        wrap: (text) => `{${text}"z":0}`,
        limit,
        expected,
      }),
      ...bodies(to, "", TEXTS, {
        // One key, as long as the list below it.
        wrap: (text) => `{"${text}":[${"0,".repeat(text.length)}0]}`,
        limit: limit / 3,
        expected,
      }),
    ];
  }),
  ...["open", "closed", "form"].flatMap((to) => {
    const expected = to === "closed" ? "400 body" : MUCH;
    return [
      ...bodies(to, FORM, [...QUERIES, "\u0001=1&"], {
        expected,
        except: { "&": to === "closed" ? expected : LITTLE },
      }),
      ...bodies(to, MULTIPART, PARTS, {
        wrap: (text) => `${text}--b--\r\n`,
        expected,
      }),
      ...bodies(to, MULTIPART, LINES, {
        wrap: (text) => `${PART}\r\n\r\n${text}\r\n--b--\r\n`,
        expected,
        except: { "\r\n--b": LONG_HEADERS },
      }),
    ];
  }),
  ...["open", "closed"].flatMap((to) =>
    bodies(to, MULTIPART, [...MARKS, ...PART_MARKS], {
      wrap: (text) =>
        `${PART}${text}x\r\nContent-Type: a/b;${text}x\r\n\r\n1\r\n--b--\r\n`,
      // The headers of a part have at most 16 KiB.
      limit: 8_000,
      expected: to === "closed" ? "400 body" : MUCH,
      except: { "--b\r\n": NO_FORM },
    })
  ),
  ...bodies("text", "text/plain", ["a", "\u00e9"], {
    limit: BODY_LIMIT / 2,
    expected: MUCH,
  }),
];

/** A request that takes quadratic time, which the measure must find. */
const [QUADRATIC] = targets("/api/quadratic/x", ["a"], {
  expected: MUCH,
}) as [Input];

/**
 * One input is compared with so many parts of its size. Both have equal cost if the cost is
 * linear. Quadratic cost makes the whole input 64 times as costly as its parts.
 */
const SHARES = 64;
const MOST = 8;
/** Garbage collection can raise the cost of single attempts. */
const ATTEMPTS = 10;
const LARGEST_PROBLEM = 64 * 1024;

/** The cost of requests, and the outcome of the last one. */
interface Cost {
  readonly ms: number;
  readonly bytes: number;
  readonly outcome: string;
}

async function costOf(
  input: Input,
  size: number,
  count: number,
): Promise<Cost> {
  const requests = Array.from({ length: count }, () => input.create(size));
  let status = 0;
  let text = "";
  let bytes = 0;
  const start = process.cpuUsage();
  for (const request of requests) {
    const response = await application.app.fetch(request);
    status = response.status;
    text = await response.text();
    bytes += text.length;
  }
  const { user, system } = process.cpuUsage(start);
  const outcome = outcomeOf(status, text, size);
  return { ms: (user + system) / 1_000, bytes, outcome };
}

/** @param isControl Whether the input has faults, which one costly attempt may hide. */
async function faultsOf(
  input: Input,
  isControl = false,
): Promise<string[]> {
  const { name, limit, expected } = input;
  let parts: Cost | undefined;
  let whole: Cost | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    parts = least(await costOf(input, limit / SHARES, SHARES), parts);
    whole = least(await costOf(input, limit, 1), whole);
    if (!isControl && whole.ms <= parts.ms * MOST) break;
  }
  const { ms, bytes, outcome } = whole!;
  return [
    outcome !== expected && `it responds "${outcome}", not "${expected}"`,
    parts!.outcome.slice(0, 3) !== expected.slice(0, 3) &&
    `a part responds "${parts!.outcome}", not "${expected}"`,
    ms > parts!.ms * MOST &&
    `it takes ${ms} ms, but its ${SHARES} parts take ${parts!.ms} ms`,
    bytes > parts!.bytes * MOST &&
    `it causes ${bytes} characters, but its parts ${parts!.bytes}`,
    outcome >= "4" && bytes > LARGEST_PROBLEM &&
    `it causes a problem document of ${bytes} characters`,
  ].filter((fault) => fault !== false).map((fault) => `${name}: ${fault}`);
}

function least(cost: Cost, other: Cost = cost): Cost {
  return cost.ms < other.ms ? cost : other;
}

const validators: Input[] = [];
for (const path of ["/docs", "/docs/start.js", "/openapi.json"]) {
  const response = await application.app.fetch(new Request(`http://h${path}`));
  await response.body?.cancel();
  const tag = response.headers.get("etag");
  validators.push(
    ...headers(path, "if-none-match", {
      // Only a reader that gets to the end finds the tag.
      wrap: (text) => `"x"${text}"y", ${tag}`,
      expected: "304",
    }),
    ...headers(path, "if-modified-since", { expected: "200" }),
  );
}
const all = [...HEADS, ...BODIES, ...validators];
const faults: string[] = [];
for (const input of all) faults.push(...await faultsOf(input));
console.log(JSON.stringify({
  count: all.length,
  faults,
  quadratic: await faultsOf(QUADRATIC, true),
}));
