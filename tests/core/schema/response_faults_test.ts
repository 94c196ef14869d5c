/** The media types whose bodies Bough reads as JSON or as text. */
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { z } from "zod";
import type { DeclaredResponse } from "../../../src/core/types/effective_schema.ts";
import { mismatchOf } from "../../../src/core/schema/check_response.ts";

function declared(
  body: z.ZodType | undefined,
  mediaType?: string,
): DeclaredResponse {
  const isEmpty = body === undefined && mediaType === undefined;
  const bodies = isEmpty ? [] : [{ mediaType, schema: body }];
  return { bodies, headers: undefined, description: undefined };
}

function sent(type: string, text = "[1]"): Response {
  return new Response(text, { headers: { "content-type": type } });
}

/** The description of a mismatch; `""` if a response matches. */
async function faultsOf(
  response: Response,
  declared: DeclaredResponse,
): Promise<string> {
  return (await mismatchOf(response, declared, { isHead: false })).text;
}

const JSON_TYPES = [
  "application/json",
  "Application/JSON; charset=utf-8",
  "application/problem+json",
  "application/vnd.a+b+json",
];
const TEXT_TYPES = [
  "text/html",
  "TEXT/plain;charset=utf-8",
  "text/event-streams",
];
const OTHER_TYPES = [
  "",
  "json",
  "text",
  "image/png",
  "application/json-seq",
  "application/jsonl",
  "application/ld-json",
  "application/+json",
  "x-application/json",
  "x-text/html",
  "text/event-stream",
  "text/event-stream; charset=utf-8",
];

Deno.test("only the media type decides whether Bough reads a body as JSON or text", async () => {
  const list = declared(z.tuple([z.literal(1)]));
  const text = declared(z.literal("[1]"));
  for (const type of JSON_TYPES) {
    assertNotEquals(await faultsOf(sent(type, "[2]"), list), "", type);
    assertEquals(await faultsOf(sent(type), list), "", type);
  }
  for (const type of TEXT_TYPES) {
    assertNotEquals(await faultsOf(sent(type, "[2]"), text), "", type);
    assertEquals(await faultsOf(sent(type), text), "", type);
  }
  for (const type of OTHER_TYPES) {
    // A body that was read would not be valid JSON.
    assertMatch(await faultsOf(sent(type, "{"), list), /^the content type/);
  }
});

Deno.test("mismatchOf() compares a media type with the declared type or range", async () => {
  const isWithin = async (type: string, range: string) =>
    await faultsOf(sent(type), declared(undefined, range)) ===
      "";
  for (
    const [type, range] of [
      ["image/png", "image/png"],
      ["image/png; a=b", "IMAGE/PNG;c=d"],
      ["image/png", "image/*"],
      ["image/png", "*/*"],
    ] as const
  ) assertEquals(await isWithin(type, range), true, `${type} ${range}`);
  for (
    const [type, range] of [
      ["image/png", "image/jpeg"],
      ["image/png", "image/pngs"],
      ["images/png", "image/*"],
      ["x-image/png", "image/*"],
      ["", "*/*"],
    ] as const
  ) assertEquals(await isWithin(type, range), false, `${type} ${range}`);
});
