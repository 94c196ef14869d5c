import { isObject } from "../core/common/values.ts";
import { METHODS } from "../core/methods.ts";
import { DATA } from "../shared/document/json_schema.ts";
import { streamSchema } from "../shared/document/responses.ts";
import type {
  DocumentedResponse,
  OpenApiDocument,
  Operation,
} from "../shared/types.ts";

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
      const others = Object(item["x-oai-additionalOperations"]);
      const each: Operation = item[method.toLowerCase()] ?? others[method];
      if (!isObject(each)) return [];
      const { parameters = [], responses = {}, security = common } = each;
      // Their references are resolved.
      describeStreams(responses as Record<string, DocumentedResponse>);
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

/**
 * Describes the events of streams as OpenAPI 3.1 does, by the schema of a text, in place.
 */
function describeStreams(
  responses: Readonly<Record<string, DocumentedResponse>>,
): void {
  for (const { content = {} } of Object.values(responses)) {
    for (const media of Object.values(content)) {
      const { itemSchema } = media;
      if (itemSchema) {
        Object.assign(media, { schema: streamSchema(itemSchema) });
      }
    }
  }
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
