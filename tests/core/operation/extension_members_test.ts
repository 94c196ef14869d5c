import { errorFormat, HttpError } from "@bough/framework";
import { assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../../support/application.ts";

const circular: Record<string, unknown> = {};
circular.self = circular;

/** Values that `JSON.stringify()` rejects. */
const VALUES: Readonly<Record<string, unknown>> = {
  "a bigint": 7n,
  "a cycle": circular,
  "a nested bigint": [{ id: 7n }],
  "a toJSON() that throws": {
    toJSON() {
      throw new RangeError("no JSON");
    },
  },
};

const FORMATS = {
  JSON: errorFormat({
    contentType: "application/json",
    schema: z.unknown(),
    format: ({ extensions }) => ({ ...extensions }),
  }),
  text: errorFormat({
    contentType: "text/plain",
    schema: z.string(),
    format: ({ extensions }) => JSON.stringify(extensions),
  }),
};

const PROBLEM = {
  type: "about:blank",
  title: "Conflict",
  status: 409,
  detail: "Taken",
};

function applicationOf(
  left: unknown,
  options: Parameters<typeof TestApplication.of>[1] = {},
): TestApplication {
  return TestApplication.of({
    "seats/route.ts": {
      GET() {
        throw new HttpError(409, "Taken", {
          headers: { "retry-after": "5" },
          left,
          code: "taken",
        });
      },
    },
  }, options);
}

for (const [what, value] of Object.entries(VALUES)) {
  Deno.test(`an HttpError with ${what} keeps its status, and its members are logged (behaviour 8.2, 8.9)`, async () => {
    for (const validateResponses of [false, "warn", true] as const) {
      for (
        const [errors, line] of [
          [
            undefined,
            /^\[bough\] GET \/api\/seats.* failed: TypeError: Cannot send the members "left", "code" of an HttpError with status 409: JSON cannot represent them/,
          ],
          [FORMATS.JSON, /seats.*: the error format failed: /],
          [FORMATS.text, /seats.*: the error format failed: /],
        ] as const
      ) {
        using log = new CapturedLog();
        const options = { validateResponses, ...(errors && { errors }) };
        const response = await applicationOf(value, options)
          .fetch("/api/seats");
        assertEquals(
          [response.status, response.headers.get("retry-after")],
          [409, "5"],
        );
        assertEquals(await response.json(), PROBLEM);
        assertEquals(log.lines.length, 1);
        assertMatch(log.lines[0]!, line);
      }
    }
  });
}

Deno.test("a format may write values that JSON cannot represent (behaviour 8.9)", async () => {
  using log = new CapturedLog();
  const errors = errorFormat({
    contentType: "text/plain",
    schema: z.string(),
    format: ({ extensions: { left } }) => `${left} left`,
  });
  const response = await applicationOf(7n, { errors }).fetch("/api/seats");
  assertEquals([response.status, await response.text()], [409, "7 left"]);
  assertEquals(log.lines, []);
});
