/**
 * Runs the browser tests in headless Chromium. It uses the browser named by the
 * variable `CHROMIUM`, or one that is on the `PATH`; on Debian and Ubuntu, it
 * installs one if there is none and it may. Where no browser is to be had, it
 * says so and leaves the tests out.
 */

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

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

function findBrowser(): string | undefined {
  const given = Deno.env.get("CHROMIUM");
  if (given !== undefined) return given;
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    for (const name of NAMES) {
      try {
        if (Deno.statSync(`${folder}/${name}`).isFile) {
          return `${folder}/${name}`;
        }
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

async function installBrowser(): Promise<boolean> {
  const prefix = Deno.uid() === 0 ? [] : ["sudo", "-n"];
  const apt = async (...args: string[]): Promise<boolean> => {
    const [command, ...rest] = [...prefix, "apt-get", "-qq", ...args];
    return await run(command!, rest);
  };
  return await apt("update") &&
    await apt("install", "-y", "--no-install-recommends", "chromium");
}

let browser = findBrowser();
if (browser === undefined && await installBrowser()) browser = findBrowser();
if (browser === undefined) {
  console.error(
    "browser_tests: there is no Chromium, and none could be installed; set CHROMIUM to its path. The browser tests were NOT run.",
  );
  Deno.exit(0);
}
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    "test",
    "-A",
    ...Deno.args,
    "tests/browser/docs_page.ts",
    "tests/browser/cors_page.ts",
  ],
  env: { CHROMIUM: browser },
}).spawn().status;
Deno.exit(code);
