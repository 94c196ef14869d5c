import { isObject, quoted } from "../../core/common/values.ts";
import { declarationOf } from "../../core/schema/declaration.ts";
import { lenientForm } from "../../core/schema/json_schema.ts";
import { runSchema } from "../../core/schema/run_schema.ts";
import { describedShape } from "../../core/schema/shape.ts";
import type { Warning } from "../../core/start/discover.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import type {
  MethodSchema,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import { createExample } from "../../shared/values/example.ts";
import { warning } from "./rules.ts";

/** Warns of schemas that reject requests, or change data, unlike their author expects. */
export async function schemaWarnings(
  routes: readonly RouteInfo[],
): Promise<Warning[]> {
  const all = declarationsOf(routes).map(async (each) => [
    ...unknownParams(each),
    ...unsentMembers(each),
    ...cookieHeaders(each),
    ...await resetMembers(each),
  ]);
  return (await Promise.all(all)).flat();
}

/** The schemas of a contract or of a method, with their place. */
interface Declaration {
  readonly schema: MethodSchema;
  readonly file: string;
  /** The place of the schemas in the file: `contract` or `schema.get`. */
  readonly member: string;
  /** The path whose params the schemas receive, for messages. */
  readonly place: string;
  /** The names of these params. */
  readonly captured: readonly string[];
}

/** The declarations of routes; a contract around several routes is listed once. */
function declarationsOf(routes: readonly RouteInfo[]): Declaration[] {
  const contracts = new Set(routes.flatMap(({ contracts }) => contracts));
  return [
    ...[...contracts].map(({ contract, file, paramNames }) => ({
      schema: contract,
      file,
      member: "contract",
      place: "the path of its folder",
      captured: paramNames,
    })),
    ...routes.flatMap(({ schema, file, path, segments }) => {
      const captured = segments.flatMap((segment) =>
        segment.kind === "dynamic" ? [segment.name] : []
      );
      return Object.entries(schema).map(([method, schema]) => ({
        schema,
        file,
        member: `schema.${method}`,
        place: `the path "${path}"`,
        captured,
      }));
    }),
  ];
}

/** Warns of params that the path does not have. */
function unknownParams(
  { schema: { params }, file, member, place, captured }: Declaration,
): Warning[] {
  const objects = (params && describedShape(params))?.objects ?? [];
  const unknown = new Set(objects.flatMap(({ names }) => names))
    .difference(new Set(captured));
  const names = quoted(captured, " and ") || "no name";
  return [...unknown].map((name) =>
    warning(
      "unknown-param",
      file,
      `${member}.params has "${name}", but ${place} captures ${names}; use the name in brackets, or remove it`,
    )
  );
}

/** The parts whose members are strings. */
const TEXTS = ["params", "query", "headers", "cookies"] as const;

/** Warns of members that no request can send, such as a number in a query. */
function unsentMembers({ schema, file, member }: Declaration): Warning[] {
  return TEXTS.flatMap((part) => {
    const { [part]: each } = schema;
    const objects = (each && describedShape(each, "strings"))?.objects ?? [];
    const unsent = [...new Set(objects.flatMap(({ names }) => names))]
      .filter((name) =>
        objects.every((object) => {
          const shape = object.member(name);
          return shape !== undefined && !shape.allows("string") &&
            !(part === "query" && shape.allows("strings"));
        })
      );
    return unsent.length === 0 ? [] : [warning(
      "unsent-member",
      file,
      `${member}.${part} has ${
        quoted(unsent, " and ")
      }, which no request can send; accept a string, as z.coerce.number() does`,
    )];
  });
}

/** Warns of cookies that a schema would have to parse. */
function cookieHeaders(
  { schema: { headers }, file, member }: Declaration,
): Warning[] {
  const objects = (headers && describedShape(headers))?.objects ?? [];
  return objects.some(({ names }) => names.includes("cookie"))
    ? [warning(
      "cookie-header",
      file,
      `${member}.headers has "cookie", a list of all cookies; check them by name in ${member}.cookies`,
    )]
    : [];
}

/** Warns of members that a `PATCH` resets to a default if the body omits them. */
async function resetMembers(
  { schema, file, member }: Declaration,
): Promise<Warning[]> {
  if (member !== "schema.patch") return [];
  const { contents = [] } = declarationOf(schema).body ?? {};
  const schemas = new Set(contents.map(({ schema }) => schema));
  const reset = new Set(
    (await Promise.all([...schemas].map(membersAdded))).flat(),
  );
  return reset.size === 0 ? [] : [warning(
    "patch-default",
    file,
    `${member}.body has a default for ${
      quoted([...reset], " and ")
    }, so a change of other members resets it; make the member optional, without a default`,
  )];
}

/** The members of an example that the schema adds again if one is absent. */
async function membersAdded(schema: StandardSchemaV1): Promise<string[]> {
  const form = lenientForm(schema, "input");
  const example = form && createExample(form);
  const added: string[] = [];
  for (const name of isObject(example) ? Object.keys(example) : []) {
    const { [name]: _, ...others } = example as Record<string, unknown>;
    const output = await outputOf(schema, others);
    if (isObject(output) && output[name] !== undefined) added.push(name);
  }
  return added;
}

/** The output of a schema; `undefined` if the schema rejects the value. */
async function outputOf(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<unknown> {
  try {
    const result = await runSchema(schema, value, "body");
    return result.issues ? undefined : result.value;
  } catch {
    // The schema cannot check an example.
    return undefined;
  }
}
