import {
  assertDeclared,
  assertResponds,
  checkContracts,
} from "@bough/framework/testing";
import type { TestedApplication } from "@bough/framework/testing";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { CapturedLog } from "../support/application.ts";

/** The values that the text of a test may use, in addition to `app`. */
const SCOPE = {
  assert,
  assertDeclared,
  assertEquals,
  assertNotEquals,
  assertResponds,
  checkContracts,
};

/** Runs the `Deno.test` of a report; `false` if it fails. */
export async function passes(
  test: string,
  app: TestedApplication,
  as: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  // The text is TypeScript, which `Function` cannot read.
  const text = test.replaceAll(": Record<string, string>", "")
    .replaceAll('get("location")!', 'get("location")');
  let isLeft = false;
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    isLeft = true;
  };
  addEventListener("unhandledrejection", onRejection);
  using _ = new CapturedLog();
  try {
    let body: (() => Promise<void>) | undefined;
    const Deno = { test: (_: string, run: () => Promise<void>) => body = run };
    new Function("Deno", "app", "as", ...Object.keys(SCOPE), text)(
      Deno,
      app,
      as,
      ...Object.values(SCOPE),
    );
    // Otherwise, the run would continue during the next test.
    const passed = await body!().then(() => true, () => false);
    return passed && !isLeft;
  } finally {
    removeEventListener("unhandledrejection", onRejection);
  }
}
