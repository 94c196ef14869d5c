import { formatValue, isObject, isStandardSchema, quoted } from "./values.ts";

/**
 * The form of a value, as data: what the value itself must be, and the forms of its
 * parts. {@linkcode checkForm} walks the form together with a value.
 */
export interface Form {
  /** Whether the value itself is valid; parts with a form are checked separately. */
  readonly accepts: (value: unknown) => boolean;
  /** The middle of the message, after the path of the value: `must be a string`. */
  readonly expected: string;
  /** The end of the message, after the value. */
  readonly remedy?: string;
  /** Whether the message omits the value, such as a private key. */
  readonly hidesValue?: boolean;
  /** Whether {@linkcode object} requires a member with this form. */
  readonly isRequired?: boolean;
  /** The forms of which the first that accepts the value checks its parts. */
  readonly alternatives?: readonly Form[];
  /** The form of the items of an array. */
  readonly items?: Form;
  /** The forms of known members. Another member is unknown. */
  readonly members?: Members;
  /** The names of the members that an object must have. */
  readonly required?: readonly string[];
  /** The form of each other member, such as those of a record. */
  readonly others?: (name: string) => Form;
  /** Whether other members are ignored. */
  readonly isOpen?: boolean;
  /** The form of the names in a record. */
  readonly names?: Form;
  /** Whether a member that is `undefined` counts as absent. */
  readonly allowsUndefined?: boolean;
  /** Checks the relations of the parts. The parts themselves may be invalid. */
  check?(value: never, path: string, report: Report): void;
}

/** The form of each member. The type checker requires an entry for every name. */
export type Members<Name extends string = string> = Readonly<
  Record<Name, Form>
>;

/** All facts about an option, except for the description in its doc comment. */
export interface OptionForm<Value> extends Form {
  /** The value of the option if it is missing. */
  readonly default?: Value;
  /** The number of the rule that defines the option, for the page of options. */
  readonly rule: string;
}

type Report = (fault: string) => void;

/** Creates the form of one of several strings, numbers or booleans. */
export function oneOf(...values: readonly unknown[]): Form {
  const texts = values.map(formatValue);
  const last = texts.pop();
  const all = texts.length === 0 ? last : `${texts.join(", ")} or ${last}`;
  return {
    accepts: (value) => values.includes(value),
    expected: `must be ${all}`,
  };
}

export const BOOLEAN: Form = oneOf(true, false);

export const STRING: Form = {
  accepts: (value) => typeof value === "string",
  expected: "must be a string",
};

export const FUNCTION: Form = {
  accepts: (value) => typeof value === "function",
  expected: "must be a function",
};

export const OBJECT: Form = {
  accepts: isObject,
  expected: "must be an object",
};

/** The form of a `HeadersInit`, which may contain credentials. */
export const HEADERS: Form = {
  accepts: (value) => typeof value === "object" && value !== null,
  expected: "must be headers, such as { name: value }",
  hidesValue: true,
};

export const SCHEMA: Form = {
  accepts: isStandardSchema,
  expected: "must be a Standard Schema, such as z.object({ ... })",
};

/** Creates the form of a string that matches a pattern. */
export function matching(pattern: RegExp, expected: string): Form {
  const accepts = (value: unknown) =>
    typeof value === "string" && pattern.test(value);
  return { accepts, expected };
}

export const NAME: Form = matching(/./s, "must be a non-empty string");

/** Creates the form of an array with a minimum length. */
export function listOf(items: Form, expected: string, least = 0): Form {
  const accepts = (value: unknown) =>
    Array.isArray(value) && value.length >= least;
  return { accepts, expected, items };
}

export const STRINGS: Form = listOf(STRING, "must be an array of strings");

/** Creates the form of an object with known members. */
export function object(
  members: Members,
  expected = `must be an object with ${quoted(Object.keys(members))}`,
): Form {
  const required = Object.keys(members)
    .filter((name) => members[name]!.isRequired);
  return { accepts: isObject, expected, members, required };
}

/** Creates the form of an object with required strings and any other members. */
export function objectWith(names: readonly string[], expected: string): Form {
  const required = { ...STRING, isRequired: true };
  const members = Object.fromEntries(names.map((name) => [name, required]));
  return { ...object(members, expected), isOpen: true };
}

/** Creates the form of an object with any names, whose members have the same form. */
export function recordOf(value: Form, expected: string): Form {
  return { accepts: isObject, expected, others: () => value };
}

/** Creates the form of a value that has one of several forms. */
export function anyOf(
  expected: string,
  ...alternatives: readonly Form[]
): Form {
  const form: Form = {
    accepts: (value) => choose(form, value) !== undefined,
    expected,
    alternatives,
  };
  return form;
}

/** Creates the form of a member that must be absent. */
export function absent(reason: string, remedy: string): Form {
  const expected = `must be absent, since ${reason}`;
  return { accepts: () => false, expected, remedy, hidesValue: true };
}

/**
 * Reports every fault of a value.
 *
 * @param path The path of the value in messages, such as `schema.get`; `""` for options,
 * and for the exports of a file.
 * @returns Whether the value is valid.
 */
export function checkForm(
  form: Form,
  value: unknown,
  path: string,
  report: Report,
): boolean {
  let isValid = true;
  walk(form, value, () => path, (fault) => {
    isValid = false;
    report(fault);
  });
  return isValid;
}

/** Whether a value has no fault. */
export function fits(form: Form, value: unknown): boolean {
  return checkForm(form, value, "", () => {});
}

/** @param path Returns the path of the value, which only a fault needs. */
function walk(
  form: Form,
  value: unknown,
  path: () => string,
  report: Report,
): void {
  const chosen = choose(form, value);
  if (chosen === undefined) {
    return report(`${path() || "options"} ${mismatch(form, value)}`);
  }
  const { items } = chosen;
  if (items !== undefined) {
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      walk(items, item, () => `${path()}[${index}]`, report);
    }
  }
  if (chosen.members !== undefined || chosen.others !== undefined) {
    walkMembers(chosen, value as Record<string, unknown>, path, report);
  }
  chosen.check?.(value as never, path(), report);
}

/** Returns the form that accepts a value: the form itself, or one of its alternatives. */
function choose(form: Form, value: unknown): Form | undefined {
  if (form.alternatives === undefined) {
    return form.accepts(value) ? form : undefined;
  }
  for (const alternative of form.alternatives) {
    const chosen = choose(alternative, value);
    if (chosen !== undefined) return chosen;
  }
}

function walkMembers(
  { members = {}, required = [], others, names, isOpen, allowsUndefined }: Form,
  value: Readonly<Record<string, unknown>>,
  path: () => string,
  report: Report,
): void {
  // Reading every export of 1,000 files in a bundle takes 10 ms.
  for (const name of Object.keys(isOpen ? members : value)) {
    if (isOpen && !(name in value)) continue;
    const form = Object.hasOwn(members, name) ? members[name] : others?.(name);
    if (form === undefined) {
      report(unknownName(path(), name, Object.keys(members)));
    } else if (names?.accepts(name) === false) {
      report(`${path()} has the key "${name}", which ${names.expected}`);
    } else if (
      value[name] !== undefined || !(form.isRequired || allowsUndefined)
    ) {
      walk(form, value[name], () => pathOf(path(), name), report);
    }
  }
  for (const name of required) {
    if (value[name] !== undefined) continue;
    walk(members[name]!, undefined, () => pathOf(path(), name), report);
  }
}

/**
 * Checks the options of a function; `undefined` counts as a missing option.
 *
 * @param doing The words after "Cannot" in the message, such as `open the socket`.
 * @returns The error with every fault, one a line; `undefined` without a fault.
 */
export function optionError<Name extends string>(
  doing: string,
  options: unknown,
  members: Members<Name>,
): TypeError | undefined {
  const form = {
    ...object(members, "must be an object"),
    allowsUndefined: true,
  };
  const lines: string[] = [];
  checkForm(
    form,
    options,
    "",
    (fault) => lines.push(`Cannot ${doing}: ${fault}`),
  );
  return lines.length === 0 ? undefined : new TypeError(lines.join("\n"));
}

/** Returns all options by name: the given values, or the defaults of their forms. */
export function withDefaults<
  Options,
  Forms extends { readonly [Name in keyof Options]-?: object },
>(options: Options, forms: Forms): {
  readonly [Name in keyof Options]-?: Forms[Name] extends
    { readonly default: unknown } ? Exclude<Options[Name], undefined>
    : Options[Name] | undefined;
} {
  const values = Object.entries<{ readonly default?: unknown }>(forms)
    .map(([name, form]) => [name, options[name as never] ?? form.default]);
  return Object.fromEntries(values);
}

/** @throws {TypeError} If an option is missing, unknown or invalid. */
export function checkOptions<Name extends string>(
  doing: string,
  options: unknown,
  members: Members<Name>,
): void {
  const error = optionError(doing, options, members);
  if (error !== undefined) throw error;
}

/** The message about a value, without its path. */
function mismatch(form: Form, value: unknown): string {
  const { expected, hidesValue, alternatives = [form] } = form;
  const got = hidesValue ? "" : `, got ${formatValue(value)}`;
  const isItem = typeof value === "string" &&
    alternatives.some(({ items }) => items?.accepts(value));
  const remedy = isItem ? `write ["${value}"]` : form.remedy;
  return `${expected}${got}${remedy === undefined ? "" : `; ${remedy}`}`;
}

function unknownName(
  path: string,
  name: string,
  known: readonly string[],
): string {
  const [found, all] = path === ""
    ? [`option "${name}"`, "options"]
    : [pathOf(path, name), "members"];
  const meant = closest(name, known);
  const hint = meant === undefined ? "the" : `did you mean "${meant}"? The`;
  return `${found} is unknown; ${hint} ${all} are ${quoted(known)}`;
}

function pathOf(path: string, name: string): string {
  if (/^[a-z_]\w*$/i.test(name)) return path === "" ? name : `${path}.${name}`;
  return /^\d+$/.test(name) ? `${path}[${name}]` : `${path}["${name}"]`;
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
