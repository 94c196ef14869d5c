import { assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import type { OpenApiDocument } from "@bough/framework/openapi";
import { TestApplication } from "../support/application.ts";
import { CANNOT, OTHERWISE, TESTED } from "./oasdiff_rules.ts";
import { route } from "./documents.ts";
import { openApiOf } from "./support.ts";

/** Rules about keywords that `bough diff` does not compare. */
const NOT_COMPARED =
  /contains|content|dependent|else|if|pattern-property|then|unevaluated/;

/** The document of an application with one route for each rule. */
async function documentOf(
  version: "before" | "after",
): Promise<OpenApiDocument> {
  const routes = Object.entries(TESTED).map(([rule, pair]) => {
    const folder = version === "after" && pair.folder ? [pair.folder] : [];
    return [
      [rule, ...folder, "route.ts"].join("/"),
      route({ post: pair[version] }),
    ];
  });
  const document = await openApiOf(
    TestApplication.of(Object.fromEntries(routes)),
  );
  if (version === "after") return document;
  for (const [rule, { operation }] of Object.entries(TESTED)) {
    Object.assign(document.paths[`/api/${rule}`]!.post!, operation);
  }
  return document;
}

/** The digest of the sorted names of the 243 rules of level ERR or WARN in `checker/rules.go`. */
const DIGEST =
  "0887dfec0c60ffda9cff4e5c853fb01b2b493c954f3bada0f8275874447b6a23";

Deno.test("each rule of oasdiff is in one group", async () => {
  const rules = [TESTED, CANNOT, OTHERWISE].flatMap(Object.keys).sort();
  const bytes = new TextEncoder().encode(rules.join("\n"));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  assertEquals(
    [rules.length, new Set(rules).size, new Uint8Array(digest).toHex()],
    [243, 243, DIGEST],
    rules.join("\n"),
  );
});

Deno.test("bough diff reports a change for each rule of oasdiff", async () => {
  const [before, after] = [
    await documentOf("before"),
    await documentOf("after"),
  ];
  const changes = Map.groupBy(
    await diffDocuments(before, after),
    ({ operation }) => operation.split("/").at(-1)!,
  );
  const compatible = Object.keys(TESTED).filter((rule) => !changes.has(rule));
  assertEquals(compatible, []);
  const unknown = [...changes.keys()].filter((rule) =>
    changes.get(rule)!.every(({ verdict }) => verdict === "unknown")
  );
  assertEquals(unknown.filter((rule) => !NOT_COMPARED.test(rule)), []);
});
