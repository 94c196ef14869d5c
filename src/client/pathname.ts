/**
 * The path of a URL, with the values of a path's names in their places.
 *
 * @throws {TypeError} If a value is missing, or would lead to another route: an
 * empty one, `.` and `..` do not arrive.
 */
export function pathnameOf(
  method: string,
  path: string,
  params: Readonly<Record<string, unknown>>,
): string {
  const encode = (value: unknown, name: string): string => {
    const text = String(value ?? "");
    if (text !== "" && text !== "." && text !== "..") {
      return encodeURIComponent(text);
    }
    throw new TypeError(
      `Cannot call ${method} "${path}": the value of "${name}" is ${
        value === undefined ? "missing" : `"${text}", which no path can hold`
      }`,
    );
  };
  return path.split("/").map((segment) => {
    if (segment === "[...]") {
      const rest = params[segment] as readonly unknown[] | undefined;
      return [rest?.length ? rest : undefined].flat()
        .map((value) => encode(value, segment)).join("/");
    }
    const name = /^\[(.+)\]$/.exec(segment)?.[1];
    return name === undefined
      ? encodeURIComponent(segment)
      // Not one that all objects inherit, such as "constructor".
      : encode(Object.hasOwn(params, name) ? params[name] : undefined, name);
  }).join("/");
}
