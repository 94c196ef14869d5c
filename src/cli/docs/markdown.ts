/** A heading of a page, with the text below it. */
export interface Section {
  /** The page, with the anchor of a heading below the title: `handlers#limits`. */
  readonly name: string;
  readonly heading: string;
  /** The number of `#` before the heading. */
  readonly level: number;
  /** The heading, and the text with the sections below it. */
  readonly text: string;
  /** The heading, and the text up to the next heading. */
  readonly own: string;
}

/** The anchor that GitHub gives a heading: `2.1 Folder names` has `21-folder-names`. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

export function sectionsOf(topic: string, page: string): Section[] {
  // A comment in code may look like a heading.
  const headings = [...page.matchAll(/^ *```[^]*?^ *```$|^(#+) (.+)$/gm)]
    .flatMap(({ index, 1: marks, 2: heading }) =>
      marks ? [{ index, level: marks.length, heading: heading! }] : []
    );
  return headings.map(({ index, level, heading }, position) => {
    const end = headings.slice(position + 1)
      .find((other) => other.level <= level)?.index;
    return {
      name: level === 1 ? topic : `${topic}#${anchorOf(heading)}`,
      heading,
      level,
      text: page.slice(index, end).trimEnd(),
      own: page.slice(index, headings[position + 1]?.index),
    };
  });
}

/** The headings of the sections of a page, or its title if there are none. */
export function outlineOf(page: string): string {
  const [title, ...sections] = sectionsOf("", page);
  return sections.filter(({ level }) => level === 2)
    .map(({ heading }) => heading).join(" · ") || title!.heading;
}

/** The topic of a link: `handlers#limits` for `../guide/handlers.md#limits`. */
export function topicOf(link: string): string {
  const [path = "", anchor] = link.split("#");
  const name = path.replace(/(?:\/README)?\.md$/, "").split("/").at(-1)!
    .toLowerCase().replaceAll(/[ -]/g, "_");
  // Two pages have the name "testing".
  const topic = /testing\/README\.md$/.test(path) ? "contract_tests" : name;
  return topic + (anchor ? `#${anchor}` : "");
}
