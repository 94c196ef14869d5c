/**
 * Runs the browser tests in headless Chromium: the one that the variable
 * `CHROMIUM` names, or else one on the `PATH`. If there is none, it says how to get
 * one, and exits with 2. With `--install`, on Debian and Ubuntu, it then installs
 * one instead. Other arguments go to `deno test`.
 */

import { findBrowser, HOW_TO_GET_ONE } from "./browser.ts";

const NO_BROWSER = 2;

async function installBrowser(): Promise<boolean> {
  const prefix = Deno.uid() === 0 ? [] : ["sudo", "-n"];
  const apt = async (...args: string[]): Promise<boolean> => {
    const [command, ...rest] = [...prefix, "apt-get", "-qq", ...args];
    return await run(command!, rest);
  };
  return await apt("update") &&
    await apt("install", "-y", "--no-install-recommends", "chromium");
}

async function run(command: string, args: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args }).spawn()
      .status;
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

const mayInstall = Deno.args.includes("--install");
let browser = findBrowser();
if (browser === undefined && mayInstall && await installBrowser()) {
  browser = findBrowser();
}
if (browser === undefined) {
  const tried = mayInstall ? ", and none could be installed" : "";
  console.error(
    `browser_tests: there is no Chromium${tried}. The browser tests were NOT run.\n${HOW_TO_GET_ONE}`,
  );
  Deno.exit(NO_BROWSER);
}
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    "test",
    "-A",
    "--no-check",
    ...Deno.args.filter((arg) => arg !== "--install"),
    "tests/instruments/browser/docs_page.ts",
    "tests/instruments/browser/cors_page.ts",
    "tests/instruments/browser/socket_page.ts",
    "tests/instruments/browser/order_board.ts",
    "tests/instruments/browser/frontend.ts",
    "tests/instruments/browser/example_pages.ts",
    "tests/instruments/browser/site.ts",
    "tests/instruments/browser/uploads_page.ts",
    "tests/instruments/browser/inspector_page.ts",
    "tests/instruments/browser/inspector_looks.ts",
  ],
  env: { CHROMIUM: browser },
}).spawn().status;
Deno.exit(code);
