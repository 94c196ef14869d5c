import { assertEquals, assertThrows } from "@std/assert";
import { content, HttpError, negotiate } from "@bough/framework";

// deno-fmt-ignore
/** The types of each row, in the order of their declaration. */
const TYPES = {
  data: ["application/json", "text/csv"],
  page: ["application/json", "text/html"],
  pageFirst: ["text/html", "application/json"],
  image: ["image/png", "image/webp", "image/svg+xml"],
  audio: ["audio/mpeg", "audio/basic"],
  texts: ["text/plain", "text/html", "text/x-dvi", "text/x-c"],
  mixed: ["image/jpeg", "text/html", "text/plain"],
  flowed: ["text/plain", "text/plain;format=fixed", "text/plain;format=flowed"],
  fixed: ["text/plain;format=fixed", "text/html", "image/jpeg"],
  npm: ["application/json", "application/vnd.npm.install-v1+json"],
  metrics: ["text/plain;version=0.0.4", "application/openmetrics-text;version=1.0.0"],
  activity: ["text/html", 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'],
  graph: ["application/json", "application/graphql-response+json"],
} as const;

const JSON = "application/json";
const CSV = "text/csv";
const HTML = "text/html";
const LD = TYPES.activity[1];

// deno-fmt-ignore
/** `Accept`, the declared types, and the best type; 406 if no type is acceptable. */
const ROWS: readonly (readonly [string | undefined, keyof typeof TYPES, string | 406])[] = [
  // RFC 9110, 12.5.1.
  ["audio/*; q=0.2, audio/basic", "audio", "audio/basic"],
  ["audio/*; q=0.2, audio/ogg", "audio", "audio/mpeg"],
  ["text/plain; q=0.5, text/html, text/x-dvi; q=0.8, text/x-c", "texts", HTML],
  ["text/plain; q=0.5, text/x-dvi; q=0.8", "texts", "text/x-dvi"],
  ["text/*, text/plain, text/plain;format=flowed, */*", "flowed", "text/plain;format=flowed"],
  ["text/*, text/plain, text/plain;format=flowed, */*", "mixed", "text/plain"],
  ["text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5", "flowed", "text/plain;format=flowed"],
  ["text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5", "fixed", "image/jpeg"],
  ["text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5", "mixed", "text/plain"],
  // Pages, images, styles and fetch() in Chrome, Firefox and Safari.
  ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7", "page", HTML],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7", "data", JSON],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8", "image", "image/png"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "page", HTML],
  ["image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "image", "image/webp"],
  ["image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", "image", "image/png"],
  ["image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", "image", "image/png"],
  ["text/css,*/*;q=0.1", "data", JSON],
  ["*/*", "data", JSON],
  ["*/*", "pageFirst", HTML],
  ["text/event-stream", "data", 406],
  // Other clients: axios, jQuery, Java, npm, Prometheus, Mastodon, GraphQL, git-lfs.
  ["application/json, text/plain, */*", "pageFirst", JSON],
  ["application/json, text/javascript, */*; q=0.01", "pageFirst", JSON],
  ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "page", HTML],
  ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "data", JSON],
  ["application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*", "npm", TYPES.npm[1]],
  ["application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2", "metrics", TYPES.metrics[1]],
  ["text/plain;version=0.0.4;q=0.5,*/*;q=0.1", "metrics", TYPES.metrics[0]],
  ['application/activity+json, application/ld+json; profile="https://www.w3.org/ns/activitystreams"', "activity", LD],
  ["application/graphql-response+json; charset=utf-8, application/json; charset=utf-8", "graph", JSON],
  ["application/vnd.git-lfs+json", "data", 406],
  // Missing, empty, malformed.
  [undefined, "data", JSON],
  ["", "data", JSON],
  [" , ,", "data", JSON],
  ["csv", "data", JSON],
  ["csv, text/csv", "data", CSV],
  ["text/csv;q=high, application/json;q=0.1", "data", JSON],
  ["text/csv;q=1.5, */*;q=0.1", "data", JSON],
  ["text/csv;q=-1", "data", JSON],
  ["text/csv;q=", "data", JSON],
  ["text/", "data", JSON],
  ["*/csv", "data", 406],
  ['text/csv;a="x, application/json', "data", 406],
  // Weights.
  ["application/json;q=0, */*", "data", CSV],
  ["application/json;q=0.000, text/csv;q=0.001", "data", CSV],
  ["application/json;q=0", "data", 406],
  ["*/*;q=0", "data", 406],
  ["*/*, text/*;q=0", "data", JSON],
  ["application/json;q=0.998, text/csv;q=0.999", "data", CSV],
  ["application/json;q=0.999, text/csv;q=1.000", "data", CSV],
  ["application/json;q=0.5, text/csv;q=0.5", "data", JSON],
  ["text/csv, application/json", "data", JSON],
  ["application/json ; q=0.5 , text/csv ; q=0.7", "data", CSV],
  ["application/json;Q=0.5,TEXT/CSV", "data", CSV],
  // Ranges and parameters.
  ["text/*", "data", CSV],
  ["text/*, application/*", "data", JSON],
  ["text/csv, */*", "data", CSV],
  ["image/*", "data", 406],
  ["text/csv;header=present", "data", 406],
  ["text/csv;charset=utf-8", "data", CSV],
  ['text/csv;charset="UTF-8";q=0.5, */*;q=0.1', "data", CSV],
  ['text/plain;format="FLOWED"', "flowed", "text/plain;format=flowed"],
  ["text/plain;format=other, text/html;q=0.1", "texts", HTML],
  ['text/html;a=",;q=0", text/csv', "data", CSV],
];

/** A schema that declares media types for status 200. */
function declaring(types: readonly string[]) {
  const [first = "", ...others] = types;
  const all = [content(first), ...others.map((type) => content(type))] as const;
  return { response: { 200: all } };
}

Deno.test("negotiate() chooses the type that fits Accept best (behaviour 8.11)", () => {
  for (const [accept, declared, expected] of ROWS) {
    const types: readonly string[] = TYPES[declared];
    const request = {
      headers: new Headers(accept === undefined ? {} : { accept }),
    };
    const schema = declaring(types);
    const strictly = () => negotiate(request, schema, 200, { strict: true });
    if (expected === 406) {
      const { status, detail, headers } = assertThrows(strictly, HttpError);
      const listed = types.map((type) => `"${type}"`).join(", ");
      assertEquals([accept, status, headers.get("vary"), detail], [
        accept,
        406,
        "Accept",
        `The request accepts none of the types ${listed}`,
      ]);
    } else assertEquals([accept, strictly()], [accept, expected]);
    const type = negotiate(request, schema, 200);
    assertEquals([accept, type], [
      accept,
      expected === 406 ? types[0] : expected,
    ]);
  }
});

Deno.test("negotiate() reads a malformed Accept of any length in linear time", () => {
  const parse = (count: number) => {
    const accept = 'text/csv;a="' + '\\"'.repeat(count) + ', "'.repeat(count);
    const { response } = declaring(TYPES.data);
    return negotiate({ headers: new Headers({ accept }) }, { response }, 200);
  };
  assertEquals(parse(1e6), JSON);
});

Deno.test("negotiate() accepts a single declared type, and throws if no type is declared", () => {
  const response = {
    200: content("text/csv"),
    201: { body: [content("text/html")] as const },
    204: {},
  };
  const request = { headers: new Headers({ accept: "image/png" }) };
  assertEquals(negotiate(request, { response }, 200), CSV);
  assertEquals(negotiate(request, { response }, 201), HTML);
  for (const status of [204, 205]) {
    assertThrows(
      // @ts-expect-error: the type checker rejects these statuses.
      () => negotiate(request, { response }, status),
      TypeError,
      `Cannot negotiate the response with ${status}: the schema declares no media type`,
    );
  }
});

Deno.test("content() rejects invalid media types", () => {
  assertEquals(content("text/csv; header=present").schema, undefined);
  for (
    const type of ["", "pdf", "a/b/c", "a/ b", "text/", "/csv", "text/csv,a/b"]
  ) {
    assertThrows(
      () => content(type),
      TypeError,
      `Cannot declare content of type "${type}": not a media type; write a type such as "application/pdf"`,
    );
  }
});
