type Members = Readonly<Record<string, unknown>>;

/** Applies a merge patch (RFC 7396): `null` removes a member, objects are merged. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), value));
  }
  return Object.fromEntries(result);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
