/** Examples of strings fit their formats and their names. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Ajv2020 } from "npm:ajv@^8.17.1/dist/2020.js";
import formats from "npm:ajv-formats@^3.0.1";
import { z } from "zod";
import type { JsonSchema } from "../../../src/openapi/mod.ts";
import { Draw } from "../../../src/shared/values/draw.ts";
import { stringValues } from "../../../src/shared/values/strings.ts";
import { valuesOf } from "../../../src/shared/values/values.ts";

const exampleString = (schema: JsonSchema, name: string) =>
  stringValues(schema, name).plain(new Draw()) as string | undefined;

/** Formats that Ajv checks, some as a stricter format. */
const BY_AJV: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "date",
      "date-time",
      "time",
      "duration",
      "email",
      "hostname",
      "ipv4",
      "ipv6",
      "uri",
      "url",
      "uri-reference",
      "uri-template",
      "json-pointer",
      "relative-json-pointer",
      "regex",
      "uuid",
      "byte",
    ].map((name) => [name, name]),
  ),
  "idn-email": "email",
  "idn-hostname": "hostname",
  iri: "uri",
  "iri-reference": "uri-reference",
};

/** Formats that zod adds. */
const BY_ZOD: Readonly<Record<string, z.ZodType>> = {
  cidrv4: z.cidrv4(),
  cidrv6: z.cidrv6(),
  guid: z.guid(),
  base64: z.base64(),
  base64url: z.base64url(),
  e164: z.e164(),
  emoji: z.emoji(),
  jwt: z.jwt(),
};

Deno.test("an example fits its format", () => {
  const ajv = new Ajv2020();
  formats.default(ajv);
  for (const [format, checked] of Object.entries(BY_AJV)) {
    const text = exampleString({ format }, "name");
    assert(text, format);
    assert(ajv.validate({ type: "string", format: checked }, text), format);
  }
  for (const [format, schema] of Object.entries(BY_ZOD)) {
    const text = exampleString({ format }, "name");
    assert(text, format);
    assert(schema.safeParse(text).success, format);
    assertEquals(exampleString({ contentEncoding: format }, "name"), text);
  }
});

Deno.test("an example fits a pattern that requires another form of its format", () => {
  for (
    const [format, pattern] of [
      ["date-time", "^[^Z]{19}$"],
      ["date-time", "^.{16}$"],
      ["time", "^[^Z]{8}$"],
      ["time", "^.{5}$"],
      ["uuid", "^.{14}4"],
      ["uuid", "^.{14}7"],
    ] as const
  ) {
    const text = exampleString({ format, pattern }, "name");
    assertMatch(text!, new RegExp(pattern));
    assertMatch(text!, /^[\da-f-]{2,}[\d:-]/);
  }
});

Deno.test("an example of a string depends on its name", () => {
  for (
    const [name, pattern] of [
      ["city", /^[A-Z][a-z]+$/],
      ["country", /^[A-Z]{2}$/],
      ["currency", /^[A-Z]{3}$/],
      ["email", /^\w+@\w+\.\w+$/],
      ["firstName", /^[A-Z][a-z]{2,8}$/],
      ["key", /^key$/],
      ["language", /^[a-z]{2}$/],
      ["last_name", /^Lovelace$/],
      ["password", /^\w+( \w+){3}$/],
      ["phone", /^\+\d[\d ]+$/],
      ["url", /^https:/],
      ["website", /^https:/],
      ["streetName", /^Street name$/],
      ["shelf2Row", /^Shelf2 row$/],
      ["", /^Text$/],
    ] as const
  ) assertMatch(exampleString({}, name)!, pattern);
});

Deno.test("an example has the required length", () => {
  const of = (minLength: number, maxLength?: number) =>
    exampleString(
      { minLength, ...(maxLength !== undefined && { maxLength }) },
      "title",
    );
  assertEquals(of(0), "Title");
  assertEquals(of(0, 3), "Tit");
  assertEquals(of(14), "Title and more");
  assertEquals(of(15), "Title and more.");
  assertEquals(of(6, 6), "Title.");
  assertEquals(of(10_000)?.length, 10_000);
  assertEquals(of(10_001), undefined);
  assertEquals(of(2, 1), undefined);
  assertEquals(exampleString({ pattern: "(" }, "title"), undefined);
});

Deno.test("a pattern without anchors matches anywhere in a string", () => {
  for (
    const schema of [
      { pattern: "foo", minLength: 5 },
      { pattern: "^foo", minLength: 5, maxLength: 10 },
      { pattern: "\\.pdf$", minLength: 8 },
      { pattern: "foo|bar" },
    ]
  ) {
    const values = valuesOf({ type: "string", ...schema });
    const strings = [1, 2, 3, 4, 5, 6, 7, 8]
      .map((seed) => values?.plain(new Draw(seed)));
    const expression = new RegExp(schema.pattern);
    for (const text of strings) {
      assert(typeof text === "string" && expression.test(text), `${text}`);
      assert(text.length >= (schema.minLength ?? 0), text);
    }
    assert(new Set(strings).size > 2, strings.join());
  }
});
