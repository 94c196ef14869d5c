import { RESPONSE_TIMEOUT } from "../options.ts";
import { present, type RequestPlan, requestText } from "../plan.ts";
import { type Link, linksOf, linkTo, pathOf } from "../search/links.ts";

/** An identifier in an assertion: `== "5"`. */
const COMPARED = /(?<=== )"(?:[^"\\]|\\.)*"/;

/**
 * The source text of a test that sends requests. The text requires `app`, and the
 * assertions of `@std/assert` and of this entry point, in scope. The test takes the
 * identifiers of created resources from responses.
 *
 * @param assertion The check of the last response; if `undefined`, the test checks only
 * that the application does not fail.
 * @param timeout The option `responseTimeout` of the run.
 */
export function testText(
  name: string,
  requests: readonly RequestPlan[],
  assertion: string | undefined,
  timeout: number = RESPONSE_TIMEOUT,
): string {
  const links = requests.map((_, index) => linksOf(requests, index));
  const [literal] = COMPARED.exec(assertion ?? "") ?? [];
  const compared = literal && linkTo(JSON.parse(literal), requests);
  const used = present([...links.flat(), compared]);
  const variables = new Variables();
  const lines = requests.flatMap((plan, index) => {
    const request = requestText(plan, urlText(plan, links[index]!, variables));
    if (index < requests.length - 1) {
      const own = used.filter(({ source }) => source === index);
      return earlierLines(request, { plan, index, used: own, variables });
    }
    const check = compared
      ? assertion!.replace(COMPARED, variables.of(compared))
      : assertion;
    const limit = timeout === RESPONSE_TIMEOUT
      ? ""
      : `, { timeout: ${timeout} }`;
    const send = check === undefined
      ? `assertResponds(app, ${request}${limit})`
      : `app.fetch(${request})`;
    const isRead = /response\.(?:text|json)\(/.test(check ?? "");
    return present([
      `const response = await ${send};`,
      check,
      !isRead && "await response.body?.cancel();",
    ]);
  });
  return textOf(name, lines);
}

/** The names of the variables of a test; the second one of a kind is `id2`. */
class Variables {
  readonly #names = new Map<string, string>();

  named(kind: string, key: string | number): string {
    return this.#names.getOrInsertComputed(`${kind} ${key}`, () => {
      const all = [...this.#names.keys()]
        .filter((name) => name.startsWith(kind));
      return all.length === 0 ? kind : `${kind}${all.length + 1}`;
    });
  }

  of({ source, pointer, segment }: Link): string {
    return segment === undefined
      ? this.named("location", source)
      : this.named("id", source + pointer);
  }
}

/** The lines that send a request, and read the identifiers in its response. */
function earlierLines(
  request: string,
  { plan: { target }, index, used, variables }: {
    readonly plan: RequestPlan;
    readonly index: number;
    readonly used: readonly Link[];
    readonly variables: Variables;
  },
): string[] {
  if (used.length === 0) {
    return [`await (await app.fetch(${request})).body?.cancel();`];
  }
  const created = variables.named("created", index);
  const base = JSON.stringify("http://localhost" + target);
  const ends = used.filter(({ pointer }) => pointer === "");
  const end = ends.find(({ segment }) => segment !== undefined);
  const location = ends.length > 0 && variables.named("location", index);
  const members = used.filter(({ pointer }) => pointer !== "").map((link) =>
    link.pointer.split("/").slice(1).reduceRight(
      (inner, name) => `{ ${JSON.stringify(name)}: ${inner} }`,
      variables.of(link),
    ).slice(2, -2)
  );
  const unique = [...new Set(members)].join(", ");
  return present([
    `const ${created} = await app.fetch(${request});`,
    location &&
    `const ${location} = new URL(${created}.headers.get("location")!, ${base});`,
    end &&
    `const ${variables.of(end)} = ${location}.pathname.split("/").at(-1);`,
    members.length === 0
      ? `await ${created}.body?.cancel();`
      : `const { ${unique} } = await ${created}.json();`,
  ]);
}

/** The source text of a URL that has variables in place of identifiers. */
function urlText(
  { target }: RequestPlan,
  links: readonly Link[],
  variables: Variables,
): string | undefined {
  const [first] = links;
  if (first === undefined) return undefined;
  if (first.segment === undefined) return variables.of(first);
  const escaped = (text: string) =>
    JSON.stringify(text).slice(1, -1).replaceAll(/[`$]/g, "\\$&");
  const path = pathOf(target).map((step, at) => {
    const link = links.find(({ segment }) => segment === at);
    return link === undefined ? escaped(step) : `\${${variables.of(link)}}`;
  }).join("/");
  const query = escaped(target.slice(target.split("?")[0]!.length));
  return `\`http://localhost${path}${query}\``;
}

function textOf(name: string, lines: readonly string[]): string {
  return [
    `Deno.test(${JSON.stringify(name)}, async () => {`,
    ...lines.map((line) => `  ${line}`),
    "});",
  ].join("\n");
}

/**
 * The source text of a test that repeats a run.
 *
 * @param options The options of the run, as source text.
 */
export function rerunText(
  name: string,
  { operation, options }: {
    readonly operation: string;
    readonly options: string;
  },
): string {
  const quoted = JSON.stringify(operation);
  return textOf(name, [
    `const { failures } = await checkContracts(app, { ${options} });`,
    `assertEquals(failures.filter(({ operations }) => operations.includes(${quoted})), []);`,
  ]);
}
