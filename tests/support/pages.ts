import { walk } from "@std/fs/walk";
import { fromFileUrl, relative } from "@std/path";
import { anchorOf } from "../../tools/site/pages.ts";

export { anchorOf };

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
/** Folders that are not in the repository. */
const OTHERS = /\/(?:\.git|vendor|node_modules|coverage)(?:\/|$)/;

/** A block of code that a page shows. */
export interface Snippet {
  readonly language: string;
  /** Whether `deno test --doc` skips it. */
  readonly isIgnored: boolean;
  /** The file that it names in its first line, `// api/users/route.ts`. */
  readonly file: string | undefined;
  readonly code: string;
}

/** A command that a page shows in a `console` block. */
export interface Command {
  readonly heading: string;
  readonly line: string;
  /** The lines that the page shows as its output. */
  readonly shown: readonly string[];
}

/** A step of a page: a file to write, or a command to type. */
export type Step = Command | { readonly file: string; readonly code: string };

/** A page of the repository, with its code and its links. */
export class Page {
  /** Its path below the root of the repository. */
  readonly path: string;
  readonly text: string;

  private constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
  }

  /** All pages of the repository, in the order of their paths. */
  static async all(): Promise<Page[]> {
    const pages: Page[] = [];
    const options = { exts: ["md"], includeDirs: false, skip: [OTHERS] };
    for await (const { path } of walk(ROOT, options)) {
      pages.push(
        new Page(
          relative(ROOT, path).replaceAll("\\", "/"),
          await Deno.readTextFile(path),
        ),
      );
    }
    return pages.sort((a, b) => a.path < b.path ? -1 : 1);
  }

  get url(): URL {
    return new URL(`../../${this.path}`, import.meta.url);
  }

  get snippets(): Snippet[] {
    const blocks = this.text.matchAll(/^```(\w+)([^\n]*)\n([^]*?)^```/gm);
    return [...blocks].map(([, language, attributes, code]) => ({
      language: language!,
      isIgnored: / ignore\b/.test(attributes!),
      file: /^\/\/ (\S+\.\w+)\n/.exec(code!)?.[1],
      code: code!,
    }));
  }

  get files(): Record<string, string> {
    return Object.fromEntries(
      this.snippets.flatMap(({ file, code }) =>
        file === undefined ? [] : [[file, code]]
      ),
    );
  }

  get commands(): Command[] {
    return this.steps.filter((step) => "line" in step);
  }

  /** The commands that it shows, and the files that it names, in order. */
  get steps(): Step[] {
    const steps: Step[] = [];
    for (const section of this.text.split(/^#+ /m)) {
      const heading = section.slice(0, section.indexOf("\n"));
      const blocks = section.matchAll(/^```(\w+)[^\n]*\n([^]*?)^```/gm);
      for (const [, language, text] of blocks) {
        const file = /^\/\/ (\S+\.\w+)\n/.exec(text!)?.[1];
        if (file !== undefined) steps.push({ file, code: text! });
        if (language !== "console") continue;
        for (const part of text!.split(/^\$ /m).slice(1)) {
          // A page may wrap JSON after a comma, and indent the rest by one space.
          const unwrapped = part.trimEnd().replaceAll(/,\n (?=["{])/g, ",");
          const [line, ...shown] = unwrapped.split("\n");
          steps.push({ heading, line: line!, shown });
        }
      }
    }
    return steps;
  }

  /** The targets of its links as written, except links in code. */
  get links(): string[] {
    const links = this.#prose.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)/gm);
    return [...links].map(([, inline, reference]) => inline ?? reference!);
  }

  /** Its pictures: their sources as written, with their alternative texts. */
  get pictures(): { readonly source: string; readonly alt: string }[] {
    const pictures = this.#prose.matchAll(
      /!\[([^\]]*)\]\(([^)\s]+)\)|<img\b[^>]*>/g,
    );
    return [...pictures].map(([tag, alt, source]) => ({
      source: source ?? /\ssrc="([^"]*)"/.exec(tag)?.[1] ?? "",
      alt: (alt ?? /\salt="([^"]*)"/.exec(tag)?.[1] ?? "")
        .replaceAll(/\s+/g, " "),
    }));
  }

  /** The anchors of its headings; of equal ones, the second ends in `-1`. */
  get anchors(): Set<string> {
    const anchors = new Set<string>();
    for (const [, heading] of this.#prose.matchAll(/^#+ (.+)$/gm)) {
      const anchor = anchorOf(heading!);
      let name = anchor;
      for (let count = 1; anchors.has(name); count++) {
        name = `${anchor}-${count}`;
      }
      anchors.add(name);
    }
    return anchors;
  }

  get #prose(): string {
    return this.text.replaceAll(/^```[^]*?^```/gm, "");
  }
}
