import { pathOf } from "./installed.ts";

/** How to get a browser for the tests and the pictures. */
export const HOW_TO_GET_ONE =
  `Install Chromium or Chrome, and set CHROMIUM to its path if it is not on the PATH:
  Debian, Ubuntu  apt-get install --no-install-recommends chromium, as root; or
                  let this do it: deno task test:browser --install
  macOS           brew install --cask chromium`;

/** The path of a browser: the one that the variable `CHROMIUM` names, or one on the `PATH`. */
export function findBrowser(): string | undefined {
  return Deno.env.get("CHROMIUM") ??
    ["chromium", "chromium-browser", "google-chrome"].map(pathOf)
      .find((path) => path !== undefined);
}
