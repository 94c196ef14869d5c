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

/** Finds the name of a secret in a name. */
export interface IsSecret {
  /**
   * Returns the word that says so: `token` for `accessToken`. It is one of the words above
   * or of the option, so that no part of a request becomes the name of a placeholder.
   */
  (name: string): string | undefined;
  /**
   * Whether a text may contain such a name before a value, or a password in a URL; `false`
   * is certain. This check takes less time than the search.
   */
  readonly mayBeIn: (text: string) => boolean;
}

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
  const inText = inAnyText(`${WORDS}|${own}`);
  // Escapes and letters such as the Kelvin sign may hide a name.
  const anywhere = new RegExp(`[^ -~\\s]|[%\\\\]|${inText}`, "i");
  // No cache: clients choose names, which may be secrets, such as base64 before `=`.
  const isSecret = (name: string) => {
    const found = anywhere.test(name) && pattern.exec(wordsOf(name));
    if (!found) return undefined;
    const { word, own = "" } = found.groups!;
    // The name of an environment variable has ASCII letters alone.
    return word?.replace(/-?\d*$/, "") ??
      (/^[ -~]+$/.test(own) ? own : "secret");
  };
  return Object.assign(isSecret, {
    mayBeIn: (text: string) =>
      /[:=%\\]/.test(text) &&
      (anywhere.test(text) || /:\/\/[^\s/]*@/.test(text)),
  });
}

/** Matches the beginning of a word: `pin` in `user_pin`, `Pin` in `userPin`. */
const START = "(?-i:(?<![a-z])|(?![a-z]))";

/**
 * Turns a pattern of words into one of names in ASCII text: `api-?key` also matches
 * within `"xApi.Key":`. The result may match more.
 */
function inAnyText(words: string): string {
  return words.replaceAll(/\(\?<=\^\|-\)|\(\?<!\[a-z\]\)|\^/g, START)
    .replaceAll("$", "(?![a-z])").replaceAll(/\(\?![^()]*\)/g, "(?-i:$&)")
    .replaceAll(/-\?/g, "[^a-z\\d]*");
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
