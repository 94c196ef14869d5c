/** How the search of the site finds pages. VitePress sends these functions to the browser. */
export const SEARCH = {
  options: {
    // Finds "timeout" in `bodyTimeout`.
    tokenize: (text: string): string[] =>
      text.split(/[\n\r\p{Z}\p{P}]+/u).flatMap((word) => {
        const parts = word.split(/(?<=[a-z])(?=[A-Z])/);
        return parts.length > 1 ? [word, ...parts] : [word];
      }),
  },
  searchOptions: {
    // "cors" is not a misspelled "cores".
    fuzzy: (term: string): number => term.length > 5 ? 0.2 : 0,
    boostDocument: (
      id: string,
      _term: string,
      { titles }: { titles: readonly string[] },
    ): number => {
      // The reference and the tables of terms name everything, and explain little.
      if (
        /behaviour|changelog|error_messages|how_do_i|SKILL/.test(id)
      ) {
        return 0.3;
      }
      return titles.length === 0 ? 1.5 : 1;
    },
  },
};
