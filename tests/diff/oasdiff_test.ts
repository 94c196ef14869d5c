import { assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import { createDocument, type OpenApiDocument } from "@bough/framework/openapi";
import { FolderApplication } from "../support/application.ts";
import { CANNOT, OTHERWISE, RULES, TESTED } from "./oasdiff_rules.ts";

/** Rules about keywords that `bough diff` does not compare. */
const NOT_COMPARED =
  /contains|content|dependent|else|if|pattern-property|then|unevaluated/;

/** Schemas that accept each value, but need a body. */
const FORM = `
  export { content } from "@bough/framework";
  const standard = (json, validate) => ({ "~standard": {
    version: 1, vendor: "mine", validate,
    ...(json && { jsonSchema: { input: () => json, output: () => json } }),
  } });
  const issues = [{ message: "is missing" }];
  export const form = (json) =>
    standard(json, (value) => value === undefined ? { issues } : { value });
  export const optional = (given) =>
    standard(given["~standard"].jsonSchema.input(), (value) => ({ value }));
`;

/** The document of an application with one route for each rule. */
async function documentOf(
  version: "before" | "after",
): Promise<OpenApiDocument> {
  const files = Object.entries(TESTED).map(([rule, pair]) => {
    const { folder } = pair;
    const name = version === "after" && folder !== undefined
      ? `${rule}/${folder}`
      : rule;
    return [
      `${name}/route.ts`,
      `import { content, form, optional } from "../${
        name === rule ? "" : "../"
      }_form.ts";
       export const schema = { post: { ${pair[version]} } };
       export const POST = () => new Response();`,
    ];
  });
  await using application = await FolderApplication.create({
    "_form.ts": FORM,
    ...Object.fromEntries(files),
  });
  const { document } = createDocument(await application.app.routes(), {
    info: { title: "Rules", version: "1.0.0" },
  });
  if (version === "after") return document;
  for (const [rule, { operation }] of Object.entries(TESTED)) {
    Object.assign(document.paths[`/api/${rule}`]!.post!, operation);
  }
  return document;
}

Deno.test("each rule of oasdiff is in one group", () => {
  assertEquals(RULES.length, 243);
  const groups = [TESTED, CANNOT, OTHERWISE].flatMap(Object.keys);
  assertEquals(groups.toSorted(), RULES.toSorted());
});

Deno.test("no pair of a rule of oasdiff is compatible", async () => {
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
