import { type RequestPlan, requestText } from "../plan.ts";

/**
 * The source text of a test that sends requests. The text requires `app`, and the
 * assertions of `@std/assert` and of this entry point, in scope. The test takes the
 * identifier of a created resource from the response, since each run may create a
 * different identifier.
 *
 * @param assertion The check of the last response; if `undefined`, the test checks only
 * that the application does not fail.
 */
export function testText(
  name: string,
  requests: readonly RequestPlan[],
  assertion: string | undefined,
): string {
  const last = requests.length - 1;
  // The index of the request that creates the resource for the later requests.
  const created = requests.findLastIndex(({ follows }) => !follows);
  const lines = requests.flatMap((plan, index) => {
    const url = index > created ? urlText(plan) : undefined;
    const request = requestText(plan, url);
    if (index === last) {
      const isRead = /response\.(?:text|json)\(/.test(assertion ?? "");
      return [
        assertion === undefined
          ? `const response = await assertResponds(app, ${request});`
          : `const response = await app.fetch(${request});`,
        ...(assertion === undefined ? [] : [assertion]),
        ...(isRead ? [] : ["await response.body?.cancel();"]),
      ];
    }
    return index === created
      ? [
        `const created = await app.fetch(${request});`,
        ...createdLines(plan, requests.slice(index + 1)),
      ]
      : [`await (await app.fetch(${request})).body?.cancel();`];
  });
  return [
    `Deno.test(${JSON.stringify(name)}, async () => {`,
    ...lines.map((line) => `  ${line}`),
    "});",
  ].join("\n");
}

/** The lines that read the target of later requests from the response to a `POST`. */
function createdLines(
  { target }: RequestPlan,
  after: readonly RequestPlan[],
): string[] {
  const all = after.map(({ follows }) => follows!);
  const ids = all.filter((each) => each !== "location");
  const member = ids.find(({ member }) => member !== undefined)?.member;
  const endsLocation = ids.some(({ member }) => member === undefined);
  const base = JSON.stringify("http://localhost" + target);
  return [
    ...(all.includes("location") || endsLocation
      ? [`const location = new URL(created.headers.get("location")!, ${base});`]
      : []),
    ...(endsLocation
      ? ['const id = location.pathname.split("/").at(-1);']
      : member !== undefined
      ? [`const { ${JSON.stringify(member)}: id } = await created.json();`]
      : []),
    ...(member === undefined ? ["await created.body?.cancel();"] : []),
  ];
}

/** The source text of a URL whose identifier is the variable `id`. */
function urlText({ target, follows }: RequestPlan): string {
  if (follows === "location") return "location";
  const [path, ...search] = target.split("?");
  const steps = path!.split("/").with(follows!.segment, "\0").join("/");
  const [before, after] = [steps, ...search].join("?").split("\0")
    .map((part) =>
      JSON.stringify(part).slice(1, -1).replaceAll(/[`$]/g, "\\$&")
    );
  return `\`http://localhost${before}\${id}${after}\``;
}
