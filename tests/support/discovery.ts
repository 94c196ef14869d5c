import { Faults, type RouteFault } from "../../src/core/common/faults.ts";
import { discover, type Discovery } from "../../src/core/start/discover.ts";

/** Discovers the files of a folder, and returns the faults with them. */
export async function discovered(
  root: string,
  label: string,
): Promise<Discovery & { readonly faults: readonly RouteFault[] }> {
  const faults = new Faults();
  const discovery = await discover({ root, label }, faults);
  return { ...discovery, faults: faults.all };
}
