import { fileURLToPath } from "node:url";
import {
  anchorOf,
  FRONT_PAGE,
  GROUPS,
  linkOnSite,
  nameOf,
  REPOSITORY,
  textOf,
  titleOf,
  VERSION,
} from "../pages.ts";
import { SEARCH } from "../search.ts";

/** A part of a page, in the parser of VitePress. */
interface Token {
  readonly type: string;
  readonly children?: readonly Token[] | null;
  info: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** A page that the parser of VitePress has read. */
interface ParsedPage {
  readonly tokens: readonly Token[];
  /** The page on the site. */
  readonly env: { readonly relativePath: string };
}

/** The parser of VitePress. */
interface Parser {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (page: ParsedPage) => void): void;
    };
  };
  readonly renderer: { readonly rules: Record<string, () => string> };
}

/** The pages of the repository, by their names on the site. */
const PATHS = new Map<string, string>(
  [FRONT_PAGE, ...Object.values(GROUPS).flat()]
    .map((path) => [`${nameOf(path)}.md`, path]),
);

/** Lets the links of a page work on the site, too. */
function addLinks(parser: Parser): void {
  parser.core.ruler.push("links", ({ tokens, env }) => {
    const path = PATHS.get(env.relativePath)!;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === "link_open" && token.attrGet("href");
      if (link) token.attrSet("href", linkOnSite(path, link));
    }
  });
}

/** Names the language of commands so that the button to copy leaves out each `$`. */
function addCommands(parser: Parser): void {
  parser.core.ruler.push("commands", ({ tokens }) => {
    for (const token of tokens) {
      token.info = token.info.replace(/^console\b/, "shellsession");
    }
  });
}

/** A line of highlighted code. */
interface Line {
  readonly properties: { class?: string };
  readonly children: readonly {
    readonly children: readonly { readonly value: string }[];
  }[];
}

/** Lets the button to copy leave out what a command prints. */
function ignoreOutput(
  this: { readonly options: { readonly lang: string } },
  line: Line,
): void {
  const text = line.children.map(({ children }) => children[0]?.value).join("");
  if (this.options.lang === "shellsession" && !text.startsWith("$ ")) {
    line.properties.class += " vp-copy-ignore";
  }
}

/** Finds Vue for the pages, in the dependencies of VitePress, which is the main module. */
function resolveVue(
  this: { resolve(id: string, importer: string): Promise<unknown> },
  id: string,
): Promise<unknown> | undefined {
  return /^vue(?:\/|$)/.test(id)
    ? this.resolve(id, fileURLToPath(Deno.mainModule))
    : undefined;
}

/**
 * Makes the search a dialog with a list of links. VitePress makes it a button with
 * options that contain links, which screen readers cannot reach.
 */
function fixSearch(code: string, id: string): string | undefined {
  if (!id.endsWith("/VPLocalSearchBox.vue")) return undefined;
  const roles =
    /\s:?(?:role|aria-(?:owns|expanded|haspopup|activedescendant|autocomplete|selected))="[^"]*"/g;
  return code.replaceAll(roles, "")
    .replace(/\s:aria-label="\[[^"]*"/, "")
    .replace('ref="el"', 'ref="el" role="dialog" aria-modal="true"')
    .replaceAll("<kbd :", '<kbd role="img" :');
}

const ICON = Deno.readTextFileSync(
  new URL("../public/bough.svg", import.meta.url),
);

export default {
  title: "Bough",
  description: "A folder of route files, served as an HTTP API on Deno.",
  lang: "en",
  head: [["link", {
    rel: "icon",
    href: `data:image/svg+xml,${encodeURIComponent(ICON)}`,
  }]],
  srcDir: "../..",
  srcExclude: ["README.md", "{coverage,examples,tests,vendor}/**"],
  outDir: "../../coverage/site",
  cacheDir: "../../node_modules/.cache/vitepress",
  ignoreDeadLinks: "localhostLinks",
  rewrites: (path: string) => `${nameOf(path)}.md`,
  markdown: {
    anchor: { slugify: anchorOf },
    attrs: { disable: true },
    theme: { light: "github-light-high-contrast", dark: "github-dark-default" },
    config: (parser: Parser) => {
      addLinks(parser);
      addCommands(parser);
      // Vue would drop a line break between two links.
      parser.renderer.rules.softbreak = () => " ";
    },
    codeTransformers: [{ line: ignoreOutput }],
  },
  themeConfig: {
    logo: "/bough.svg",
    nav: [
      { text: "Guide", link: "/guide/first_hour" },
      { text: "How do I …?", link: "/guide/how_do_i" },
      { text: "Reference", link: "/guide/options" },
      { text: VERSION, link: "/changelog" },
      { text: "Source", link: REPOSITORY },
    ],
    sidebar: Object.entries(GROUPS).map(([text, paths]) => ({
      text,
      items: paths.map((path) => ({
        text: titleOf(textOf(path)),
        link: `/${nameOf(path)}`,
      })),
    })),
    outline: [2, 3],
    notFound: {
      title: "This page does not exist",
      quote: "Search for it, or look for your question in How do I …?",
      linkText: "Front page",
    },
    search: { provider: "local", options: { miniSearch: SEARCH } },
  },
  vite: {
    publicDir: fileURLToPath(new URL("../public/", import.meta.url)),
    plugins: [{
      name: "bough",
      enforce: "pre",
      resolveId: resolveVue,
      transform: fixSearch,
    }],
    // The HTML of the repository does not belong to the site.
    optimizeDeps: { entries: [] },
    // The rendered pages contain Vue, since Deno would look for it next to them.
    ssr: { noExternal: true },
  },
};
