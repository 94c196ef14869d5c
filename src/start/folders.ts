import { checkMiddleware, reportOptOut } from "../exports/middleware_module.ts";
import type { ModuleExports } from "../exports/misnamed.ts";
import type { Report } from "../faults.ts";
import type { PlacedMiddleware } from "../request/middleware.ts";
import { createCheck } from "../schema/validate.ts";
import type { PlacedContract } from "../types/contract.ts";
import type { RouteFile } from "./discover.ts";

/** What the folders of a route add to it. */
export interface FolderContext {
  /** The middleware around it, outermost first. */
  readonly middleware: readonly PlacedMiddleware[];
  /** The contracts of the folders, outermost first. */
  readonly contracts: readonly PlacedContract[];
  /** Whether some of it needs the exact bytes of bodies. */
  readonly rawBody: boolean;
}

/** The middleware of an application, by folder. */
export class FolderMiddleware {
  readonly #global: readonly PlacedMiddleware[];
  /** What surrounds a route that no folder adds anything to. */
  readonly #outside: FolderContext;
  readonly #byFolder = new Map<string, CheckedFile>();

  /** @param global The middleware around the whole application. */
  constructor(global: readonly PlacedMiddleware[]) {
    this.#global = global;
    this.#outside = { middleware: global, contracts: [], rawBody: false };
  }

  /** Adds a middleware file. */
  add(
    { path, location, folders }: RouteFile,
    exports: ModuleExports,
    report: Report,
  ): void {
    const folder = folders.join("/");
    const other = this.#byFolder.get(folder);
    if (other !== undefined) {
      report(
        `"${other.path}" is middleware of the same folder; keep one of them`,
      );
    }
    const checked = checkMiddleware(exports, report);
    if (checked === undefined) return;
    const { contract, middleware, config: { rawBody = false } } = checked;
    const paramNames = paramNamesOf(folders);
    const check = contract && createCheck([contract], paramNames);
    const runs = middleware.map((run) => ({ run, file: path }));
    // Without either, the file is listed nevertheless: it declares permissions.
    const placed = [{ ...runs[0], check, file: path }, ...runs.slice(1)];
    this.#byFolder.set(folder, {
      path,
      location,
      folders,
      placed,
      contract: contract && { contract, file: path, paramNames },
      rawBody,
    });
  }

  /** Reports contracts that take back what a guard above them asks for. */
  checkContracts(reportAt: (path: string) => Report): void {
    for (const { path, folders, contract } of this.#byFolder.values()) {
      if (contract === undefined || folders.length === 0) continue;
      const { contracts } = this.around({ folders: folders.slice(0, -1) });
      const report = reportAt(path);
      reportOptOut("contract", contract.contract, { contracts, report });
    }
  }

  /**
   * The middleware around a route, outermost first. If links lead to the route, the
   * middleware of each of its places runs, and each file runs once.
   */
  around(
    { folders, otherPaths = [] }: Pick<RouteFile, "folders" | "otherPaths">,
  ): FolderContext {
    if (this.#byFolder.size === 0) return this.#outside;
    const others = otherPaths.map((path) => path.split("/").slice(0, -1));
    const files = [folders, ...others]
      .map((place) => this.#filesAbove(place))
      .reduce<readonly CheckedFile[]>(merge, []);
    return {
      middleware: [...this.#global, ...files.flatMap(({ placed }) => placed)],
      contracts: files.flatMap(({ contract = [] }) => contract),
      rawBody: files.some(({ rawBody }) => rawBody),
    };
  }

  #filesAbove(folders: readonly string[]): CheckedFile[] {
    const top = this.#byFolder.get("");
    const files = top === undefined ? [] : [top];
    let path = "";
    for (const name of folders) {
      path += path === "" ? name : `/${name}`;
      const file = this.#byFolder.get(path);
      if (file !== undefined) files.push(file);
    }
    return files;
  }
}

/** A middleware file that passed its checks. */
interface CheckedFile extends Pick<RouteFile, "path" | "location" | "folders"> {
  readonly placed: readonly PlacedMiddleware[];
  readonly contract: PlacedContract | undefined;
  readonly rawBody: boolean;
}

/**
 * Merges two lists; both keep their order, and a file in both is listed once. `[top,
 * link, inner]` and `[top, staff, inner]` become `[top, link, staff, inner]`: `inner`
 * may rely on `staff`, so `staff` runs before it.
 */
function merge(
  outer: readonly CheckedFile[],
  inner: readonly CheckedFile[],
): CheckedFile[] {
  const merged: CheckedFile[] = [];
  const add = (file: CheckedFile) => {
    if (merged.every(({ location }) => location !== file.location)) {
      merged.push(file);
    }
  };
  let next = 0;
  for (const file of outer) {
    const shared = inner.findIndex(({ location }, index) =>
      index >= next && location === file.location
    );
    if (shared !== -1) {
      inner.slice(next, shared).forEach(add);
      next = shared + 1;
    }
    add(file);
  }
  inner.slice(next).forEach(add);
  return merged;
}

/**
 * The names in the path of a folder, which is all that its contract sees of a path. A
 * malformed folder has none; it is a fault of its own.
 */
function paramNamesOf(folders: readonly string[]): string[] {
  return folders.flatMap((name) => /^\[([^.].*)\]$/.exec(name)?.[1] ?? []);
}
