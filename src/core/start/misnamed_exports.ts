import { fits, type Form, isNear, type Members } from "../common/forms.ts";
import { isObject, isStandardSchema } from "../common/values.ts";
import { isErrorFormat } from "../errors.ts";
import { isMethod, METHODS } from "../methods.ts";
import { SCHEMA_PARTS } from "../schema/check_request.ts";

type Exports = Readonly<Record<string, unknown>>;

/** Describes the exports of a route file whose names only resemble a method. */
export function misnamedHandlers(exports: Exports): string[] {
  return Object.keys(exports).flatMap((name) => {
    const method = name.toUpperCase();
    const isFunction = () => typeof exports[name] === "function";
    const found = `export "${name}" is not a handler:`;
    if (name === "default") {
      return `${found} export handlers by the name of their method, such as "GET"`;
    }
    if (method === "TRACE" || method === "CONNECT") {
      const handled = `${found} routes handle ${METHODS.join(", ")}`;
      return name === method || isFunction() ? handled : [];
    }
    // Only a function may be meant as a handler, so a constant named `options` is not
    // reported.
    return name !== method && isMethod(method) && isFunction()
      ? `${found} name it "${method}", in uppercase`
      : [];
  });
}

/** The end of the message about an export in the wrong kind of file. */
const MISPLACED: Readonly<Record<string, string>> = {
  contract:
    "in a route file; move it to the middleware file of a folder, or its members to schema",
  errors:
    "in a route file; export it from the middleware file of a folder, or pass it in the option errors",
  schema: 'in a middleware file; name it "contract"',
};

/**
 * Describes exports without effect: misnamed ones, such as `schemas` or `Schema` instead
 * of `schema`, and those of the other kind of file, such as `contract` in a route file.
 * Checks the form of the value, since the program may use an export such as
 * `schemas = { user }` itself.
 *
 * @param known The exports of this kind of file.
 */
export function misnamedExports(exports: Exports, known: Members): string[] {
  const faults: string[] = [];
  for (const [name, where] of Object.entries(MISPLACED)) {
    if (Object.hasOwn(known, name) || !hasChecks(exports[name])) continue;
    faults.push(`export "${name}" has no effect ${where}`);
  }
  // Read only the keys, since reading all exports of 1,000 files in a bundle takes 10
  // ms.
  for (const name of Object.keys(exports)) {
    if (isMethod(name) || Object.hasOwn(known, name)) continue;
    const letters = name.toLowerCase().replaceAll(/[^a-z]/g, "");
    const meant = Object.keys(known).find((name) =>
      name !== "default" && !isMethod(name) && isNear(letters, name)
    );
    if (meant === undefined) continue;
    const value = exports[name];
    if (value === exports[meant]) continue;
    const isMeant = looksLike(known[meant]!, value) ||
      // `schemas = { params, body }` may contain the parts of an exported `schema`.
      (meant === "schema" && !("schema" in exports) && hasChecks(value));
    if (isMeant) {
      faults.push(`export "${name}" has no effect; name it "${meant}"`);
    }
  }
  return faults;
}

/**
 * Whether a value is valid, is an item of a list, or is an object with a valid member,
 * also in uppercase.
 */
function looksLike(form: Form, value: unknown): boolean {
  const { alternatives, items, members } = form;
  if (alternatives !== undefined) {
    return alternatives.some((form) => looksLike(form, value));
  }
  if (items !== undefined && !Array.isArray(value)) return fits(items, value);
  if (members === undefined || !isObject(value)) return fits(form, value);
  return Object.entries(members).some(([name, member]) =>
    [name, name.toUpperCase()].some((key) =>
      Object.hasOwn(value, key) && fits(member, value[key])
    )
  );
}

/** Whether a value is an error format, or an object with the schema of a part. */
function hasChecks(value: unknown): boolean {
  return isErrorFormat(value) ||
    isObject(value) && !isStandardSchema(value) &&
      SCHEMA_PARTS.some((part) => isStandardSchema(value[part]));
}
