/** The pages of the site: their order, their names, and where their links lead. */
import config from "../../deno.json" with { type: "json" };

export { anchorOf } from "../../src/cli/docs/markdown.ts";

/** The version that the site describes. */
export const VERSION = config.version;

/** The repository, which GitHub names in a workflow. Elsewhere, it has the package's name. */
export const REPOSITORY = `https://github.com/${
  Deno.env.get("GITHUB_REPOSITORY") ?? config.name.slice(1)
}`;

const ROOT = new URL("../../", import.meta.url);

/** The page at the root of the site. */
export const FRONT_PAGE = "tools/site/index.md";

/** The other pages by group: first the path of a newcomer, in the order to read. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "From the first hour to production": [
    "src/guide/first_hour.md",
    "src/guide/routing.md",
    "src/guide/handlers.md",
    "src/guide/validation.md",
    "src/guide/errors.md",
    "src/guide/middleware.md",
    "src/guide/authentication.md",
    "src/guide/protection.md",
    "src/guide/resources.md",
    "src/guide/testing.md",
    "src/guide/deployment.md",
    "src/guide/permissions.md",
  ],
  "Look up": [
    "src/guide/how_do_i.md",
    "src/guide/recipes.md",
    "src/guide/error_messages.md",
    "src/guide/glossary.md",
    "src/guide/SKILL.md",
  ],
  "Topics": [
    "src/files/README.md",
    "src/uploads/README.md",
    "src/live/README.md",
    "src/guide/databases.md",
    "src/hono/README.md",
    "src/guide/libraries.md",
    "src/log/README.md",
    "src/guide/scaling.md",
  ],
  "Documentation and clients": [
    "src/openapi/README.md",
    "src/client/README.md",
    "src/mcp/README.md",
    "src/diff/README.md",
  ],
  "Tools": [
    "src/testing/README.md",
    "src/cli/README.md",
    "src/dev/README.md",
  ],
  "Reference": [
    "src/guide/behaviour.md",
    "src/guide/options.md",
    "src/guide/speed.md",
    "src/guide/versions.md",
    "CHANGELOG.md",
  ],
};

/** The name of a page on the site: `guide/routing`, or `cli` for `src/cli/README.md`. */
export function nameOf(path: string): string | undefined {
  if (path === FRONT_PAGE) return "index";
  if (path === "CHANGELOG.md") return "changelog";
  return /^src\/(guide\/\w+)\.md$/.exec(path)?.[1] ??
    /^src\/(\w+)\/README\.md$/.exec(path)?.[1];
}

/**
 * Where a link leads on the site: to another page, or else to the file in the repository,
 * at the tag of the version.
 *
 * @param path The page with the link, from the root of the repository.
 * @param link The link as the page writes it.
 */
export function linkOnSite(path: string, link: string): string {
  if (/^(?:[a-z]+:|#)/.test(link)) return link;
  const { pathname, hash } = new URL(link, `file:///${path}`);
  const target = pathname.slice(1);
  const name = nameOf(decodeURIComponent(target));
  return name === undefined
    ? `${REPOSITORY}/blob/v${VERSION}/${target}${hash}`
    : `/${name}${hash}`;
}

/** The Markdown of a page. */
export function textOf(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

/** The name of a page in lists: "The client" for "# The client: `client`". */
export function titleOf(text: string): string {
  return /^# ([^:\n]+)/m.exec(text)![1]!;
}
