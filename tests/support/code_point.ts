import fc from "fast-check";

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/**
 * A code point as a string, but no surrogate. The unit "binary" of fast-check means the
 * same, but takes a second to create.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES)
  .map(
    (number) =>
      String.fromCodePoint(
        number < FIRST_SURROGATE ? number : number + SURROGATES,
      ),
    // With this function, strings such as "__proto__" are likely.
    (text) => {
      const number = Number((text as string).codePointAt(0));
      if (text !== String.fromCodePoint(number)) throw new TypeError();
      return number < FIRST_SURROGATE ? number : number - SURROGATES;
    },
  );
