/**
 * Spells a wrong value for a message: a string in quotes, since `got 8000` does not
 * tell that `"8000"` was given where a number belongs.
 */
export function spellValue(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
