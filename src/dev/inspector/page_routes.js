/** Shows the tree of routes, and one route. */
import { fileLink, h, linked } from "./page_dom.js";
import { box, valueLines } from "./page_values.js";

/** A link to a route on this page. */
export function routeLink(path, attributes = {}) {
  const href = `#/routes/${encodeURIComponent(path)}`;
  return h("a", { href, ...attributes }, path);
}

/** The tree of folders, as on disk. */
export function routeTree(routes, selected) {
  const leaf = ({ path, methods }) =>
    h(
      path === selected ? "li.selected" : "li",
      routeLink(path, {
        "aria-current": path === selected && "true",
      }),
      methods.map(({ method }) => h("span.method", ` ${method}`)),
    );
  const level = (below, depth) => {
    const byFolder = Map.groupBy(below, ({ folders }) => folders[depth]);
    const here = byFolder.get(undefined) ?? [];
    byFolder.delete(undefined);
    const folders = [...byFolder].map(([name, routes]) =>
      h(
        "li",
        h(
          "details",
          { open: true },
          h("summary", `${name}/`),
          level(routes, depth + 1),
        ),
      )
    );
    return h("ul", here.map(leaf), folders);
  };
  return level(routes, 0);
}

/** The details of a route, with the findings of its files. */
export function routeDetail(route, findings) {
  const { path, file, absolute, folders: _, methods, ...members } = route;
  const files = [file, ...methods.flatMap(({ middleware }) => middleware)];
  const own = findings.filter((finding) =>
    files.some((each) => `${each}/`.startsWith(`${finding.path}/`))
  );
  return h(
    "article",
    { id: `route-${path}` },
    h("h2", { tabindex: "-1" }, path),
    h("p.facts.row", absolute ? fileLink(absolute, { text: file }) : file),
    findingList(own),
    memberTable(members),
    methods.map(({ method, ...members }) =>
      h("section", h("h3", method), memberTable(members))
    ),
  );
}

/** The members of an object by name, without empty ones. */
export function memberTable(members) {
  return h(
    "table.members",
    Object.entries(members).map(([name, value]) => {
      if (/^(?:\[\]|\{\})$/.test(JSON.stringify(value))) return null;
      const isByName = Object.getPrototypeOf(value) === Object.prototype &&
        !("file" in value);
      const shown = isByName
        ? Object.entries(value).map(([name, each]) =>
          h("div", `${name} `, show(each))
        )
        : show(value);
      return h("tr", h("th", { scope: "row" }, name), h("td", shown));
    }),
  );
}

/** Shows a value: lists in lines, files as links, large objects collapsed. */
function show(value) {
  if (Array.isArray(value)) return value.map((each) => h("div", show(each)));
  if (typeof value !== "object") return linked(String(value));
  const { file, ...rest } = value;
  const values = Object.values(rest);
  const shown = values.length === 1 ? values[0] : rest;
  const json = JSON.stringify(shown);
  const isLarge = json.length > 60;
  const names = Object.keys(rest).join(", ");
  return [
    file && [linked(file), " "],
    isLarge && h("details", h("summary", names), box(names, valueLines(shown))),
    !isLarge && json !== "{}" && json,
  ];
}

/** The findings of `bough check`. */
export function findingList(findings) {
  return h(
    "ul",
    findings.map(({ level, rule, path, message }) =>
      h(
        "li",
        h(`strong.${level}`, level),
        " ",
        linked(path),
        ` ${message} (${rule})`,
      )
    ),
  );
}
