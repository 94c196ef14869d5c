/**
 * Finds the name that someone meant who wrote another one: one that differs by a
 * letter or by case, as `prot` from `port`, or that begins with it, as `hostname` with
 * `host`.
 */
export function closest(
  written: string,
  names: readonly string[],
): string | undefined {
  const lower = written.toLowerCase();
  return names.find((name) => isNear(lower, name.toLowerCase())) ??
    names.find((name) => lower.length > 2 && startsWith(lower, name));
}

function startsWith(lower: string, name: string): boolean {
  return name.toLowerCase().startsWith(lower) ||
    lower.startsWith(name.toLowerCase());
}

/** Whether at most one letter is missing, added, wrong, or swapped with the next. */
export function isNear(text: string, word: string): boolean {
  let start = 0;
  while (start < word.length && text[start] === word[start]) start++;
  const found = text.slice(start);
  const wanted = word.slice(start);
  return found.slice(1) === wanted || found === wanted.slice(1) ||
    found.slice(1) === wanted.slice(1) ||
    found === wanted.replace(/^(.)(.)/, "$2$1");
}
