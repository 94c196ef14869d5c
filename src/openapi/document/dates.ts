import type { Direction, JsonFormOptions } from "../../schema/json_schema.ts";

/** What JSON makes of a `Date`. */
const DATE = { type: "string", format: "date-time" };

type Options = NonNullable<JsonFormOptions["libraryOptions"]>;

/** A schema as zod hands it to its options. */
interface ZodSchema {
  readonly _zod: {
    readonly def: { readonly type: string; readonly coerce?: boolean };
  };
}

/** The options by which each library describes a date as text, by vendor name. */
const OUTPUT: Readonly<Record<string, Options>> = {
  arktype: {
    fallback: {
      date: ({ base }: { base: object }) => ({ ...base, ...DATE }),
    },
  },
  valibot: {
    overrideSchema: (
      { valibotSchema }: { valibotSchema: { readonly type: string } },
    ) => valibotSchema.type === "date" ? DATE : undefined,
  },
  zod: zodOptions(({ type }) => type === "date"),
};

const INPUT: typeof OUTPUT = {
  // `z.coerce.date()` takes a text; `z.date()` takes no JSON at all.
  zod: zodOptions(({ type, coerce }) => type === "date" && coerce === true),
};

/** What zod has no JSON Schema for, beside dates. */
const UNREPRESENTABLE = new Set(
  ["bigint", "custom", "function", "map", "nan", "set", "symbol"]
    .concat("transform", "undefined", "void"),
);

function zodOptions(
  isDate: (definition: ZodSchema["_zod"]["def"]) => boolean,
): Options {
  return {
    unrepresentable: ({ zodSchema }: { zodSchema: ZodSchema }) =>
      isDate(zodSchema._zod.def) ? DATE : "throw",
    // Before zod 4.5, a function there leaves out whatever has no JSON Schema.
    override: (
      { zodSchema, jsonSchema }: { zodSchema: ZodSchema; jsonSchema: object },
    ) => {
      const { def } = zodSchema._zod;
      if (Object.keys(jsonSchema).length > 0) return;
      if (isDate(def)) Object.assign(jsonSchema, DATE);
      else if (def.type === "date" || UNREPRESENTABLE.has(def.type)) {
        throw new Error(`"${def.type}" cannot be represented in JSON Schema`);
      }
    },
  };
}

/**
 * Describes a schema, and the dates in it as the texts that JSON makes of them. No
 * vendor-neutral option does so, and libraries throw or leave out a date.
 *
 * @param describe Describes the schema by the Standard JSON Schema interface.
 */
export function describeDates<T>(
  describe: (options: JsonFormOptions) => T,
  { vendor, direction }: {
    readonly vendor: string;
    readonly direction: Direction;
  },
): T {
  const table = direction === "output" ? OUTPUT : INPUT;
  const target = "draft-2020-12";
  return Object.hasOwn(table, vendor)
    ? describe({ target, libraryOptions: table[vendor]! })
    : describe({ target });
}
