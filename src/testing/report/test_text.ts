import { RESPONSE_TIMEOUT } from "../options.ts";
import { type RequestPlan, requestText } from "../plan.ts";
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
  const all = [...links.flat(), ...(compared ? [compared] : [])];
  const names = new Map<string, string>();
  // The second variable of a kind is `id2`.
  const nameOf = (kind: string, key: string | number) =>
    names.getOrInsertComputed(`${kind} ${key}`, () => {
      const all = [...names.keys()].filter((name) => name.startsWith(kind));
      return all.length === 0 ? kind : `${kind}${all.length + 1}`;
    });
  const variableOf = ({ source, pointer, segment }: Link): string =>
    segment === undefined
      ? nameOf("location", source)
      : nameOf("id", source + pointer);
  const limit = timeout === RESPONSE_TIMEOUT ? "" : `, { timeout: ${timeout} }`;
  const isRead = /response\.(?:text|json)\(/.test(assertion ?? "");
  const lines = requests.flatMap((plan, index) => {
    const request = requestText(plan, urlText(plan, links[index]!));
    if (index === requests.length - 1) {
      const send = assertion === undefined
        ? `assertResponds(app, ${request}${limit})`
        : `app.fetch(${request})`;
      const check = compared
        ? assertion!.replace(COMPARED, variableOf(compared))
        : assertion;
      return [
        `const response = await ${send};`,
        ...(check === undefined ? [] : [check]),
        ...(isRead ? [] : ["await response.body?.cancel();"]),
      ];
    }
    const used = all.filter(({ source }) => source === index);
    if (used.length === 0) {
      return [`await (await app.fetch(${request})).body?.cancel();`];
    }
    const created = nameOf("created", index);
    return [
      `const ${created} = await app.fetch(${request});`,
      ...createdLines(plan, used, created),
    ];
  });
  return textOf(name, lines);

  /** The lines that read identifiers from a response. */
  function createdLines(
    { target }: RequestPlan,
    used: readonly Link[],
    created: string,
  ): string[] {
    const base = JSON.stringify("http://localhost" + target);
    const ends = used.filter(({ pointer }) => pointer === "");
    const end = ends.find(({ segment }) => segment !== undefined);
    const location = ends[0] && variableOf({ ...ends[0], segment: undefined });
    const members = used.filter(({ pointer }) => pointer !== "").map((link) =>
      link.pointer.split("/").slice(1).reduceRight(
        (inner, name) => `{ ${JSON.stringify(name)}: ${inner} }`,
        variableOf(link),
      ).slice(2, -2)
    );
    const unique = [...new Set(members)].join(", ");
    const lines = [
      location &&
      `const ${location} = new URL(${created}.headers.get("location")!, ${base});`,
      end &&
      `const ${variableOf(end)} = ${location}.pathname.split("/").at(-1);`,
      members.length === 0
        ? `await ${created}.body?.cancel();`
        : `const { ${unique} } = await ${created}.json();`,
    ];
    return lines.filter((line) => line !== undefined);
  }

  /** The source text of a URL that has variables in place of identifiers. */
  function urlText(
    { target }: RequestPlan,
    links: readonly Link[],
  ): string | undefined {
    const [first] = links;
    if (first === undefined) return undefined;
    if (first.segment === undefined) return variableOf(first);
    const escaped = (text: string) =>
      JSON.stringify(text).slice(1, -1).replaceAll(/[`$]/g, "\\$&");
    const path = pathOf(target).map((step, at) => {
      const link = links.find(({ segment }) => segment === at);
      return link === undefined ? escaped(step) : `\${${variableOf(link)}}`;
    }).join("/");
    const query = escaped(target.slice(target.split("?")[0]!.length));
    return `\`http://localhost${path}${query}\``;
  }
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
