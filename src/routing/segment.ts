/**
 * A segment of a URL pattern: the static `users`, the dynamic `[id]`, or the
 * wildcard `[...]`.
 */
export type UrlSegment =
  | { readonly kind: "static"; readonly text: string }
  | { readonly kind: "dynamic"; readonly name: string }
  | { readonly kind: "wildcard" };

/** A folder name, compiled; a group is not part of the URL. */
export type Segment =
  | UrlSegment
  | { readonly kind: "group"; readonly name: string };

const ALLOWED = '"name", "[name]", "[...]" or "(group)"';
const PARAM_NAME = /^[A-Za-z0-9_$-]+$/;
const HAS_BRACKET = /[[\]()]/;
/** Characters that a URL, and so an import, drops or turns into a slash. */
const NOT_KEPT = /[\t\n\r\\]/;

/**
 * Compiles one folder name: `users` is static, `[id]` dynamic, `[...]` a
 * wildcard and `(admin)` a group.
 *
 * A name that only resembles one of these, such as `[[id]]` or `[id].json`, is an
 * error, not a static segment: other frameworks give it a meaning, which whoever
 * wrote it expects.
 *
 * @throws {SyntaxError} If the name has brackets in any other form, or characters
 * that imports do not keep.
 */
export function compileSegment(name: string): Segment {
  if (NOT_KEPT.test(name)) {
    throw new SyntaxError(
      `folder name "${name}" holds a tab, a line break or a backslash, which imports do not keep: they would find another folder; rename it`,
    );
  }
  if (!HAS_BRACKET.test(name)) return { kind: "static", text: name };
  if (name === "[...]") return { kind: "wildcard" };

  const inner = name.slice(1, -1);
  if (name.startsWith("(") && name.endsWith(")")) {
    if (inner !== "" && !HAS_BRACKET.test(inner)) {
      return { kind: "group", name: inner };
    }
  } else if (name.startsWith("[") && name.endsWith("]")) {
    if (PARAM_NAME.test(inner)) return { kind: "dynamic", name: asKey(inner) };
  }
  throw new SyntaxError(
    `folder name "${name}" ${
      reasonAgainst(name)
    }; a folder is named ${ALLOWED}`,
  );
}

/**
 * Returns the engine's own copy of a property name (an internalized string). With any
 * other string of the same text, the engine has to look up that copy each time a
 * property is set.
 */
function asKey(name: string): string {
  return Object.keys({ [name]: true })[0]!;
}

/** Says why a name with brackets is not a segment. */
function reasonAgainst(name: string): string {
  for (const [open, close] of ["[]", "()"] as const) {
    const opened = name.includes(open!);
    const closed = name.includes(close!);
    if (opened && !closed) return `is missing its "${close}"`;
    if (closed && !opened) return `is missing its "${open}"`;
  }
  if (name === "[]" || name === "()") return "has no name in its brackets";
  if (/^\[\.\.\.[^\]]+\]$/.test(name)) {
    return 'names its wildcard, which must be "[...]"';
  }
  if (/^\[\[.*\]\]$/.test(name)) {
    return "asks for an optional segment: make a route file for each of the two paths";
  }
  if (/^\[[^[\]()]+\]$/.test(name)) {
    return "may hold only letters, digits, _, - and $ in its brackets";
  }
  return "mixes brackets with other text";
}
