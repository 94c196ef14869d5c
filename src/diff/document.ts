import { isObject } from "../common/values.ts";
import type { OpenApiDocument } from "../openapi/types.ts";

/** Keywords whose value is data, which may contain `null`. */
const DATA = new Set(["const", "default", "enum", "example", "examples"]);

/**
 * Completes a document that Bough did not write, or that was edited by hand: parts may be
 * missing or `null`.
 */
export function completed(document: OpenApiDocument): OpenApiDocument {
  const { paths = {}, components, ...rest } = withoutNulls(document);
  const items = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item)
      .filter(([, operation]) => isObject(operation))
      .map((
        [method, each],
      ) => [method, { ...each, responses: each.responses ?? {} }]);
    return [path, Object.fromEntries(operations)];
  });
  return {
    ...rest,
    paths: Object.fromEntries(items),
    components: {
      ...components,
      schemas: components?.schemas ?? {},
      responses: components?.responses ?? {},
    },
  };
}

function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.filter((each) => each !== null).map(withoutNulls) as T;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .filter(([key, each]) => each !== null || DATA.has(key))
    .map(([key, each]) => [key, DATA.has(key) ? each : withoutNulls(each)]);
  return Object.fromEntries(members) as T;
}
