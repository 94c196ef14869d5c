import type { RequestPlan } from "./plan.ts";

/** The name of a property. */
export type PropertyName =
  | "failure"
  | "accepted"
  | "refused"
  | "declared"
  | "methods"
  | "security"
  | "state";

/** The names of the properties, in the order in which they are tested. */
export const PROPERTIES: readonly PropertyName[] = [
  "failure",
  "accepted",
  "refused",
  "declared",
  "methods",
  "security",
  "state",
];

/** What each property says, for the names of tests. */
export const TITLES: Readonly<Record<PropertyName, string>> = {
  failure: "no request makes the application fail",
  accepted: "what fits the schemas is accepted",
  refused: "what does not fit the schemas is refused, and the place is named",
  declared: "only declared responses are sent",
  methods: "HEAD is like GET, and OPTIONS and 405 tell the methods",
  security: "without credentials, what is guarded is refused",
  state: "what is created can be read, changed and deleted",
};

/** How a response breaks a property. */
export interface Fault {
  /** What the contract says. */
  readonly expected: string;
  /** What came. */
  readonly seen: string;
  /**
   * The same as a line of a test, of the last `response`; `undefined` if no response
   * shows it, but a log, or the time that it takes.
   */
  readonly assertion: string | undefined;
}

/** A property that does not hold, and the requests that show it. */
export interface ContractFailure extends Omit<Fault, "assertion"> {
  /** The property. */
  readonly property: PropertyName;
  /** The method and the path of the route. */
  readonly operation: string;
  /** The file of the route. */
  readonly file: string;
  /** The smallest requests that were found, in order; the last one shows it. */
  readonly requests: readonly RequestPlan[];
  /**
   * Whether they show it from the beginning of the application. Otherwise the seed
   * replays all requests, in a new process.
   */
  readonly replays: boolean;
  /** Each of the requests as a command for a shell. */
  readonly curl: readonly string[];
  /** All of them as a test. */
  readonly test: string;
  /** The seed of the run. */
  readonly seed: number;
}

/** Ends the run of an operation: it asks for no more requests. */
export class EndOfRun extends Error {
  /** The name of the error class. */
  override name = "EndOfRun";
}

/** Thrown by a test of a property that does not hold. */
export class ContractError extends Error {
  /** The name of the error class. */
  override name = "ContractError";
}
