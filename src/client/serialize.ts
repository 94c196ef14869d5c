/** Writes a query; an array is a repeated name, and `undefined` is left out. */
export function queryText(query: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) {
      if (each !== undefined) text.append(name, String(each));
    }
  }
  return String(text);
}

/** Writes a body: a form, where a member or an item of one is a `Blob`, else JSON. */
export function bodyOf(body: unknown): FormData | string {
  const members = typeof body === "object" && body !== null
    ? Object.entries(body)
    : [];
  const isForm = members.some(([, value]) => [value].flat().some(isBlob));
  if (!isForm) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of members) {
    for (const each of [value].flat()) {
      if (each === undefined) continue;
      form.append(name, isBlob(each) ? each : String(each));
    }
  }
  return form;
}

function isBlob(value: unknown): value is Blob {
  return value instanceof Blob;
}
