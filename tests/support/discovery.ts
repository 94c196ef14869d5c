import { discover, type Discovery } from "../../src/routes/discover.ts";
import { Faults, type RouteFault } from "../../src/routes/route_error.ts";

/** Walks a folder, and gives what is wrong beside what was found. */
export function discovered(
  root: string,
  label: string,
): Discovery & { readonly faults: readonly RouteFault[] } {
  const faults = new Faults();
  const discovery = discover({ root, label }, faults);
  return { ...discovery, faults: faults.all };
}
