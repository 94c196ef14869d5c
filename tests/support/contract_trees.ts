/** Random trees of folders with contracts, and the expected results. */
import fc from "fast-check";
import { compilePattern } from "../../src/core/routing/pattern.ts";

export const NAMED_PARTS = ["params", "query", "headers"] as const;
export type NamedPart = typeof NAMED_PARTS[number];

/** The declarations of a contract or a route; each name is required or optional. */
export interface Said {
  readonly parts: { readonly [Part in NamedPart]?: Record<string, boolean> };
  /** Whether its schemas keep the values of their names unchanged. */
  readonly keepsValues: boolean;
  /** The style of its schemas; the last two allow further names. */
  readonly style: "strips" | "loose" | "arktype";
  readonly security: string | undefined;
  readonly response: readonly number[];
  readonly tags: readonly string[] | undefined;
  readonly deprecated: boolean | undefined;
}

/** A contract or a route of a tree, with its place. */
export interface Level extends Said {
  /** Its name in values, tokens and files: `api/a/middleware.js`. */
  readonly file: string;
  /** The names in the path of its folder, which its schema of params gets. */
  readonly captured: readonly string[];
  /** Whether it has middleware; a route has none. */
  readonly isGuard: boolean;
}

/** A route, with all contracts that apply to it. */
export interface Branch {
  readonly path: string;
  /** The contracts around it, outermost first, and then its own schema. */
  readonly levels: readonly Level[];
  readonly hasBody: boolean;
}

/** A tree as files, and its routes. */
export interface Tree {
  readonly files: Readonly<Record<string, string>>;
  readonly branches: readonly Branch[];
}

const names = (...all: string[]) =>
  fc.option(
    fc.dictionary(fc.constantFrom(...all), fc.boolean(), { maxKeys: 2 }),
    { nil: undefined },
  );
const said = fc.record({
  query: names("q", "r"),
  headers: names("x-h", "x-i"),
  hasParams: fc.boolean(),
  namesParams: fc.boolean(),
  keepsValues: fc.boolean(),
  style: fc.constantFrom("strips", "loose", "arktype"),
  security: fc.option(fc.constantFrom("bearer", "key"), { nil: undefined }),
  response: fc.subarray([401, 403, 409]),
  tags: fc.option(fc.subarray(["s", "t"]), { nil: undefined }),
  deprecated: fc.option(fc.boolean(), { nil: undefined }),
});
const folders = fc.array(fc.constantFrom("a", "b", "[x]", "(g)"), {
  maxLength: 4,
});

/** Random trees; most schemas of a level give its file as the value of each name. */
export const trees: fc.Arbitrary<Tree> = fc.record({
  routes: fc.array(fc.tuple(folders, said, fc.boolean()), {
    minLength: 1,
    maxLength: 4,
  }),
  contracts: fc.array(fc.tuple(fc.nat(), said, fc.boolean()), { maxLength: 5 }),
}).map(({ routes, contracts }) => {
  const byKey = new Map(
    routes.map(([names, ...rest]) => {
      // Names of parameters must differ within a path.
      const folders = names.map((name, index) =>
        name === "[x]" ? `[x${index}]` : name
      );
      return [compilePattern(["api"], folders).key, { folders, rest }];
    }),
  );
  const kept = [...byKey.values()];
  const places = kept.flatMap(({ folders }) =>
    ["", ...folders].map((_, depth) => folders.slice(0, depth))
  );
  const guards = new Map(contracts.map(([pick, says, isGuard]) => {
    const folders = places[pick % places.length]!;
    const level = levelOf([...folders, "middleware.js"], says, isGuard);
    return [folders.join("/"), level];
  }));
  const branches = kept.map(({ folders, rest: [says, hasBody] }) => ({
    path: compilePattern(["api"], folders).text,
    levels: [
      ...["", ...folders].flatMap((_, depth) =>
        guards.get(folders.slice(0, depth).join("/")) ?? []
      ),
      levelOf([...folders, "route.js"], says, false),
    ],
    hasBody,
  }));
  const files = [
    ...[...guards.values()].map((level) => [level.file, guardText(level)]),
    ...branches.map(({ levels, hasBody }) => {
      const own = levels.at(-1)!;
      return [own.file, routeText(own, hasBody)];
    }),
  ].map(([file, text]) => [file!.slice("api/".length), text]);
  return { files: Object.fromEntries(files), branches };
});

function levelOf(
  path: readonly string[],
  { query, headers, hasParams, namesParams, ...says }: typeof said extends
    fc.Arbitrary<infer Value> ? Value : never,
  isGuard: boolean,
): Level {
  const captured = path.flatMap((name) => /^\[(.*)\]$/.exec(name)?.[1] ?? []);
  const params = namesParams ? captured : [];
  return {
    ...says,
    captured,
    file: ["api", ...path].join("/"),
    // A guard that is only documented is a fault.
    isGuard: isGuard || says.security !== undefined,
    parts: {
      ...(hasParams &&
        { params: Object.fromEntries(params.map((name) => [name, true])) }),
      ...(query !== undefined && { query }),
      ...(headers !== undefined && { headers }),
    },
  };
}

function members(level: Level): string {
  const { parts, security, response, tags, deprecated, file } = level;
  const schemas = Object.entries(parts).map(([part, names]) =>
    `${part}: ${schemaText(level, names)}, `
  );
  const description = JSON.stringify({ description: file });
  const rest = {
    ...(security !== undefined && { security: [{ [security]: [] }] }),
    ...(tags !== undefined && { tags }),
    ...(deprecated !== undefined && { deprecated }),
  };
  return `${schemas.join("")}response: { ${
    response.map((status) => `${status}: ${description}`).join(", ")
  } }, ...${JSON.stringify(rest)}`;
}

function schemaText(
  { file, keepsValues, style }: Level,
  names: Record<string, boolean>,
): string {
  const isArk = style === "arktype";
  const text = isArk ? 'type("string")' : "z.string()";
  const change = `.${isArk ? "pipe" : "transform"}(() => ${
    JSON.stringify(file)
  })`;
  const value = keepsValues ? text : text + change;
  const properties = Object.entries(names).map(([name, isRequired]) =>
    isArk
      ? `${JSON.stringify(isRequired ? name : `${name}?`)}: ${value}`
      : `${JSON.stringify(name)}: ${value}${isRequired ? "" : ".optional()"}`
  );
  const make = { strips: "z.object", loose: "z.looseObject", arktype: "type" };
  return `${make[style]}({ ${properties.join(", ")} })`;
}

const ZOD = `import { z } from "npm:zod@^4.2.0";
  import { type } from "npm:arktype@^2.2.9";`;

/** Refuses requests that name its file in the header `refused-by`. */
function guardText(level: Level): string {
  const file = JSON.stringify(level.file);
  const guard = `
    export default async (request, next) => {
      if (request.headers.get("refused-by") === ${file}) {
        return new Response(null, { status: 401 });
      }
      const response = await next();
      response.headers.append("x-passed", ${file});
      return response;
    };`;
  return `${ZOD} export const contract = { ${members(level)} };
    ${level.isGuard ? guard : ""}`;
}

function routeText(level: Level, hasBody: boolean): string {
  const body = hasBody ? "body: z.object({ b: z.string() }), " : "";
  return `${ZOD} export const schema = { post: { ${body}${members(level)} } };
    export const POST = (request) => Response.json(request.validated);`;
}
