import { type RequestPlan, requestText } from "./plan.ts";

/**
 * Requests as the text of a test, with `app` and the assertions in scope.
 *
 * @param assertion What must hold of the last response.
 */
export function testText(
  name: string,
  requests: readonly RequestPlan[],
  assertion: string,
): string {
  const before = requests.slice(0, -1).map((plan) =>
    `  await (await app.fetch(${requestText(plan)})).body?.cancel();`
  );
  const last = requests.at(-1);
  return [
    `Deno.test(${JSON.stringify(name)}, async () => {`,
    ...before,
    ...(last === undefined ? [] : [
      `  const response = await app.fetch(${requestText(last)});`,
      `  ${assertion}`,
      ...(/response\.(?:text|json)\(/.test(assertion)
        ? []
        : ["  await response.body?.cancel();"]),
    ]),
    "});",
  ].join("\n");
}
