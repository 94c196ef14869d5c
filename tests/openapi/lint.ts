import { createConfig, lintFromString } from "@redocly/openapi-core";

/** The findings of Redocly's linter, with all recommended rules as errors. */
export async function lint(document: object): Promise<string[]> {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: { "operation-tag-defined": "error" },
  });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: "openapi.json",
    config,
  });
  return problems.map(({ ruleId, location, message }) =>
    `${ruleId} ${location[0]?.pointer}: ${message}`
  );
}
