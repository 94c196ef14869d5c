import { discover } from "../../src/routes/discover.ts";
import type { Discovery } from "../../src/routes/route_file.ts";
import { Faults, type RouteFault } from "../../src/routes/route_error.ts";

/** Discovers the files of a folder, and returns the faults with them. */
export function discovered(
  root: string,
  label: string,
): Discovery & { readonly faults: readonly RouteFault[] } {
  const faults = new Faults();
  const discovery = discover({ root, label }, faults);
  return { ...discovery, faults: faults.all };
}
