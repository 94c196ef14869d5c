import { formatValue, isObject, kindOf, quoted } from "./values.ts";

/** The requirement for the value of an option. */
export interface OptionKind {
  readonly accepts: (value: unknown) => boolean;
  /** The end of the message, after the name of the option. */
  readonly expected: string;
  /** Whether the message shows the value. */
  readonly shown?: boolean;
  /** Whether a string is likely the only item, which the message shows how to write. */
  readonly listsStrings?: boolean;
  /** The requirement for each item, for a message about the first invalid item. */
  readonly items?: OptionKind;
}

/** All facts about an option, except for the description in its doc comment. */
export interface OptionDeclaration<Value> extends OptionKind {
  /** The value of the option if it is missing. */
  readonly default?: Value;
  /** The number of the rule that defines the option, for the page of options. */
  readonly rule: string;
}

/** The requirement for each option. The type checker requires an entry for every name. */
export type OptionTable<Name extends string> = Readonly<
  Record<Name, OptionKind>
>;

/** The end of the message about each old name: its new name, in quotes. */
export type RenamedOptions = Readonly<Record<string, string>>;

export const BOOLEAN: OptionKind = {
  accepts: (value) => typeof value === "boolean",
  expected: "must be true or false",
  shown: true,
};

export const STRING: OptionKind = {
  accepts: (value) => typeof value === "string",
  expected: "must be a string",
};

export const FUNCTION: OptionKind = {
  accepts: (value) => typeof value === "function",
  expected: "must be a function",
};

export const OBJECT: OptionKind = {
  accepts: isObject,
  expected: "must be an object",
  shown: true,
};

/** The requirement for an option that is a `HeadersInit`. */
export const HEADERS: OptionKind = {
  accepts: (value) => typeof value === "object" && value !== null,
  expected: "must be headers, such as { name: value }",
};

/** Creates the requirement for an option that is an array. */
export function arrayOf(items: OptionKind, expected: string): OptionKind {
  const accepts = (value: unknown) => isArrayOf(value, items.accepts);
  return { accepts, expected, shown: true, items };
}

export const STRINGS: OptionKind = {
  ...arrayOf({ ...STRING, shown: true }, "must be an array of strings"),
  listsStrings: true,
};

/** Whether a value is an array of items that `accepts` accepts. */
export function isArrayOf(
  value: unknown,
  accepts: (value: unknown) => boolean,
): boolean {
  return Array.isArray(value) && value.every(accepts);
}

/**
 * Checks each option separately from the others.
 *
 * @param doing The words after "Cannot" in the message, such as `open the socket`.
 * @throws {TypeError} If an option is unknown, or its value is invalid.
 */
export function checkEachOption<Name extends string>(
  doing: string,
  options: unknown,
  table: OptionTable<Name>,
  renamed?: RenamedOptions,
): void {
  const fault = isObject(options)
    ? findOptionFault(options, table, renamed)
    : `options must be an object, got ${kindOf(options)}`;
  if (fault !== undefined) throw new TypeError(`Cannot ${doing}: ${fault}`);
}

/**
 * Finds the first option that is unknown or has an invalid value.
 *
 * @returns The fault of this option; `undefined` if all options are valid.
 */
export function findOptionFault<Name extends string>(
  options: object,
  table: OptionTable<Name>,
  renamed: RenamedOptions = {},
): string | undefined {
  const names = Object.keys(table);
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(renamed, name)) {
      return `option "${name}" was renamed; use ${renamed[name]}`;
    }
    if (!Object.hasOwn(table, name)) {
      const meant = closest(name, names);
      const hint = meant === undefined
        ? "the options are"
        : `did you mean "${meant}"? The options are`;
      return `option "${name}" is unknown; ${hint} ${quoted(names)}`;
    }
    const kind: OptionKind = table[name as Name];
    if (value === undefined || kind.accepts(value)) continue;
    return valueFault(name, value, kind);
  }
  return undefined;
}

function valueFault(
  name: string,
  value: unknown,
  { expected, shown, items, listsStrings }: OptionKind,
): string {
  if (items !== undefined && Array.isArray(value)) {
    const index = value.findIndex((each) => !items.accepts(each));
    return valueFault(`${name}[${index}]`, value[index], items);
  }
  const written = listsStrings && typeof value === "string"
    ? `"${value}"; write ["${value}"]`
    : formatValue(value);
  const got = shown ? `, got ${written}` : "";
  return `${name} ${expected}${got}`;
}

/**
 * Finds the known name that is closest to a misspelled name. Close names differ by a
 * letter or by case, such as `port` and `prot`. Names are also close if one begins with
 * the other, such as `hostname` and `host`.
 */
export function closest(
  written: string,
  names: readonly string[],
): string | undefined {
  const given = written.toLowerCase();
  const find = (isClose: (name: string) => boolean) =>
    names.find((name) => isClose(name.toLowerCase()));
  return find((name) => isNear(given, name)) ??
    find((name) =>
      given.length > 2 && (name.startsWith(given) || given.startsWith(name))
    );
}

/**
 * Whether at most one letter is missing, added, wrong, or swapped with the next letter.
 */
export function isNear(text: string, word: string): boolean {
  let start = 0;
  while (start < word.length && text[start] === word[start]) start++;
  const found = text.slice(start);
  const wanted = word.slice(start);
  return found.slice(1) === wanted || found === wanted.slice(1) ||
    found.slice(1) === wanted.slice(1) ||
    found === wanted.replace(/^(.)(.)/, "$2$1");
}
