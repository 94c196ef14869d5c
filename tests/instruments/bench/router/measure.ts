/**
 * Measures one router on one set, in its own process, so that V8 does not optimize for
 * several routers. Prints one line of JSON.
 */
import { compilePattern } from "../../../../src/core/routing/pattern.ts";
import { naiveMatch } from "../../../support/oracle.ts";
import { median } from "../report.ts";
import { ADAPTERS, type Found } from "./adapters.ts";
import { ROUTE_SETS } from "./route_sets.ts";

export interface Measurement {
  /** The paths with wrong matches. If there are any, nothing is timed. */
  readonly wrong?: readonly string[];
  /** The reason why the router rejected the routes. */
  readonly refused?: string;
  /**
   * Nanoseconds for a match of a new slice of a longer string, since a server has a new
   * string for each request.
   */
  readonly fresh?: number;
}

const MATCHES = 60_000;
/** The maximum milliseconds of a round; slow routers make fewer matches. */
const LONGEST_ROUND = 100;
const ROUNDS = 5;

const [setName, routerName] = Deno.args;
const { routes, paths } = ROUTE_SETS.find(({ name }) => name === setName)!;
// Static routes come first, since some routers match in the order of registration.
const sorted = routes.toSorted((a, b) => rank(a) < rank(b) ? -1 : 1);

function rank(route: string): string {
  return route.split("/").map((name) =>
    name === "[...]" ? 2 : name.startsWith("[") ? 1 : 0
  ).join("");
}

function measure(): Measurement {
  let find;
  try {
    find = ADAPTERS[routerName!]!(sorted);
  } catch (error) {
    return { refused: String(error).split("\n")[0]! };
  }
  const wrong = paths.filter((path) => !isRight(path, find(path)));
  if (wrong.length > 0) return { wrong };

  const text = paths.join(" ");
  const starts: number[] = [];
  const ends: number[] = [];
  for (const path of paths) {
    starts.push((ends.at(-1) ?? -1) + 1);
    ends.push(starts.at(-1)! + path.length);
  }
  const round = (): number => {
    let sum = 0;
    let matches = 0;
    const start = performance.now();
    const end = start + LONGEST_ROUND;
    while (matches < MATCHES && performance.now() < end) {
      for (let step = 0; step < 1_000; step++) {
        const index = matches++ % paths.length;
        const found = find(text.slice(starts[index], ends[index]));
        if (found !== undefined) sum += found.route;
      }
    }
    const time = (performance.now() - start) / matches * 1e6;
    if (sum === -1) throw new Error("never: this keeps the result in use");
    return time;
  };
  // In the first round, V8 compiles the code.
  const times = Array.from({ length: 1 + ROUNDS }, round).slice(1);
  return { fresh: median(times) };
}

const PATTERNS = sorted.map((route) =>
  compilePattern([], route.split("/").filter((name) => name !== ""))
);

function isRight(path: string, found: Found | undefined): boolean {
  const segments = path.split("/").slice(1);
  const expected = naiveMatch(PATTERNS, segments);
  if (expected === undefined || found === undefined) {
    return found === expected;
  }
  const params = (found.params ?? {}) as Record<string, string>;
  return PATTERNS[found.route] === expected &&
    expected.segments.every((segment, index) =>
      segment.kind !== "dynamic" || params[segment.name] === segments[index]
    );
}

console.log(JSON.stringify(measure()));
