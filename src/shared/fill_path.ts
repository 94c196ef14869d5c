/** The wildcard of a pattern, and the name of its values. */
export const WILDCARD = "[...]";

/**
 * Fills a pattern, such as `/files/[id]/[...]`, and percent-encodes each segment.
 * Browsers load this function with the client, so it imports nothing.
 *
 * @param valuesOf Returns the values of a parameter by name; those of the wildcard by
 * {@linkcode WILDCARD}.
 */
export function fillPath(
  pattern: string,
  valuesOf: (name: string) => readonly string[],
): string {
  return pattern.split("/").flatMap((segment) => {
    const name = segment === WILDCARD
      ? WILDCARD
      : /^\[(.+)\]$/.exec(segment)?.[1];
    return name === undefined ? [segment] : valuesOf(name);
  }).map(encodeURIComponent).join("/");
}
