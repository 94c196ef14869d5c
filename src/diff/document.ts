import { isObject } from "../core/common/values.ts";
import { METHODS } from "../core/methods.ts";
import { DATA } from "../shared/document/json_schema.ts";
import type { OpenApiDocument, Operation } from "../shared/types.ts";

/** References to parts of operations. */
const PART =
  /^#\/components\/(parameters|requestBodies|responses|headers|pathItems)\/([^/]+)$/;

/**
 * Completes a document that Bough did not write, or that was edited by hand: parts may be
 * missing or `null`, and may be references.
 */
export function completed(document: OpenApiDocument): OpenApiDocument {
  const { paths = {}, components, security: common = [], ...rest } = resolved(
    document,
    document,
  );
  const items = Object.entries(paths).map(([path, item]) => {
    const { parameters: shared = [] } = item as unknown as Operation;
    const operations = METHODS.flatMap((method) => {
      const each = item[method.toLowerCase()];
      if (!isObject(each)) return [];
      const { parameters = [], responses = {}, security = common } = each;
      const all = [...shared, ...parameters]
        .map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]);
      return [[method.toLowerCase(), {
        ...each,
        parameters: Object.values(Object.fromEntries(all)),
        responses,
        security: security.length === 0 ? [{}] : security,
      }]];
    });
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

/** A copy without `null` and without references to parts. */
function resolved<T>(
  value: T,
  document: OpenApiDocument,
  known: ReadonlySet<string> = new Set(),
): T {
  if (Array.isArray(value)) {
    return value.filter((each) => each !== null)
      .map((each) => resolved(each, document, known)) as T;
  }
  if (!isObject(value)) return value;
  const reference = String(value.$ref);
  const [, group, name] = PART.exec(reference) ?? [];
  const part = group && Object(document.components)[group]?.[name!];
  if (isObject(part) && !known.has(reference)) {
    return resolved(part as T, document, new Set([...known, reference]));
  }
  const members = Object.entries(value)
    .filter(([key, each]) => each !== null || DATA.has(key))
    .map(([key, each]) => [
      key,
      DATA.has(key) ? each : resolved(each, document, known),
    ]);
  return Object.fromEntries(members) as T;
}
