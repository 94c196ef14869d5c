/** The last words of names that only describe a secret: `tokenType`. */
const ABOUT =
  "type(?:s|-hint)?|kind|counts?|len(?:gth)?|size|min|max|limits?|polic(?:y|ies)|" +
  "strength|rules?|expir(?:y|es|ed|ation)|in|at|on|ttl|age|ur[il]s?|endpoints?|path|" +
  "names?|labels?|placeholder|title|description|required|enabled|disabled|valid|" +
  "status|errors?|messages?|issues?|date|time(?:out|stamp)?|duration|version|format|" +
  "alg(?:orithm)?|issuer|scopes?|usage|used|header|field|column|page|store|manager|" +
  "provider|service|strategy|attempts?|balance|price|symbol|address|amount";

/** Matches the words of a name that looks like a secret: `access-token`, `dbpassword`. */
const WORDS = [
  "pass-?w(?:or)?d|pass-?(?:phrase|code|key)|secret(?!ar|e|i)|credential|[cx]srf",
  "token(?:id)?(?![a-z])|connection-?string|card-?number",
  "(?:api|access|private|secret|encrypt(?:ion)?|master|auth|subscription|account|" +
  "shared|service|ssh|session|license|(?<![a-z])sign(?:ing)?)-?keys?(?![a-z])",
  "(?:verification|recovery|backup|reset|auth|login|security|[2m]fa)-?codes?$",
  "(?:code|oauth)-?verifier$|sess(?:ion)?-?id$|^(?:connect-)?sid$",
  "(?:^|(?:access|refresh|auth|api|id|bearer|device|push|reset|session)-?)tokens$",
  // Whole words: `otp`, but not `hotpot`.
  "(?<![a-z])(?:pwd|pw|jwt|t?otp|cvv|cvc|ssn)(?![a-z])",
  "(?<![a-z])(?:auth|authorization|bearer|cookie|creds?|signature|sig)$",
  "(?<![a-z])sess(?:ion)?(?:-?(?:token|cookie|data|state|value))?$",
  "(?<![a-z])pin(?:-?(?:code|number|hash))?\\d*$|^(?:(?:user|db)-?)?pass$",
].join("|");

/** The most names to remember, and the longest of them. */
const MAX_NAMES = 2_000;
const MAX_LENGTH = 50;

/**
 * Finds the word that makes a name one of a secret: `token` for `accessToken`. The word
 * is one of those above or of the option, so that no part of a request becomes the name
 * of a placeholder.
 */
export type IsSecret = (name: string) => string | undefined;

/**
 * Creates the check of names: `accessToken` and `X-API-Key` look like secrets, and
 * `tokenCount` and `author` do not.
 *
 * @param further Further names, in any notation: `tenantId` also means `X-Tenant-ID`.
 */
export function secretNames(further: readonly string[] = []): IsSecret {
  const own = further.map(wordsOf).filter((words) => words !== "")
    .map((words) => `(?<=^|-)${words.replaceAll("-", "-?")}$`).join("|") ||
    "(?!)";
  const pattern = new RegExp(
    `^(?!.*-(?:${ABOUT})$).*(?<word>${WORDS})|(?<own>${own})`,
  );
  /** The words by name; `""` for other names. Most requests have the same names. */
  const known = new Map<string, string>();
  return (name) => {
    let word = known.get(name);
    if (word === undefined) {
      word = wordIn(pattern, name);
      if (known.size >= MAX_NAMES) known.clear();
      if (name.length <= MAX_LENGTH) known.set(name, word);
    }
    return word || undefined;
  };
}

function wordIn(pattern: RegExp, name: string): string {
  const { word, own = "" } = pattern.exec(wordsOf(name))?.groups ?? {};
  if (word !== undefined) return word.replace(/-?\d*$/, "");
  // The name of an environment variable has ASCII letters alone.
  return /^[ -~]*$/.test(own) ? own : "secret";
}

/** The environment variable for a placeholder: `API_KEY_2` for `api-key 2`. */
export function variableOf(name: string): string {
  return wordsOf(name).replaceAll("-", "_").toUpperCase().replace(/^\d/, "_$&");
}

/** The words of a name: `x-api-key` for `X-API-Key` and `xApiKey`. */
function wordsOf(name: string): string {
  return name.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1-$2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1-$2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "").toLowerCase();
}
