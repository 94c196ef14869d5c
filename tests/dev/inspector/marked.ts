/**
 * Texts whose secrets have marks: `token=<token|abc>` is `token=abc` before its secrets
 * are replaced, and `token=«token»` afterwards.
 */
const MARK = /<([\w -]+)\|(.*?)>/g;

/** Replaces each mark with its value. */
export function before<Marked>(marked: Marked): Marked {
  return JSON.parse(JSON.stringify(marked).replaceAll(MARK, "$2"));
}

/** Replaces each mark with the placeholder of its value. */
export function after<Marked>(marked: Marked): Marked {
  return JSON.parse(JSON.stringify(marked).replaceAll(MARK, "«$1»"));
}

/** The values with a mark, by their names. */
export function valuesIn(marked: string): Record<string, string> {
  const marks = [...marked.matchAll(MARK)];
  return Object.fromEntries(marks.map(([, name, value]) => [name, value]));
}
