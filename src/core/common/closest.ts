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
