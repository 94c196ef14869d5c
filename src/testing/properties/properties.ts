import fc from "fast-check";
import { contractsFor } from "../../core/schema/declaration.ts";
import { needsCredentials } from "../../core/start/modules.ts";
import {
  acceptanceFault,
  declarationFault,
  endIfAsked,
  failureOf,
  type Fault,
  formatFault,
  refusalFault,
} from "../checks.ts";
import type { Input } from "../generate/input.ts";
import {
  changeCount,
  isChecked,
  mutate,
  type Refusal,
} from "../generate/mutate.ts";
import { Planned } from "../generate/planned.ts";
import type { Operation } from "../operation.ts";
import { untestedReason } from "../report/report.ts";
import {
  faultOf,
  inTurn,
  runsOf,
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import { isRefusal } from "../search/results.ts";
import type { Sender } from "../search/sender.ts";
import type { Exchange } from "../send/exchange.ts";
import { accessProperty } from "./access.ts";
import { type Check, findIn, type Tested } from "./input_checks.ts";
import { limitsProperty } from "./limits.ts";
import { liveProperty } from "./live.ts";
import { methodChecks } from "./methods.ts";
import { pagesProperty } from "./pages.ts";
import { repeatsProperty } from "./repeats.ts";
import { locationFault } from "./resource.ts";
import { securityChecks } from "./security.ts";
import { stateProperty } from "./state.ts";
import { tracesProperty } from "./traces.ts";

/** The name of a property. */
export type PropertyName =
  | "failure"
  | "accepted"
  | "refused"
  | "declared"
  | "methods"
  | "security"
  | "state"
  | "pages"
  | "repeats"
  | "live"
  | "access"
  | "limits";

/** A property, with all facts about it. */
interface Property {
  /** The sentence that holds, for the names of tests and the documentation. */
  readonly title: string;
  /** Judges each response to a valid request, in the search that all rows share. */
  readonly valid?: Judge;
  /** Judges each response to an invalid request in the same way. */
  readonly invalid?: Judge;
  /**
   * Tests an operation; `undefined` if the property does not apply to the operation. By
   * default, the responses to requests are judged. One valid request must be accepted.
   */
  readonly test?: (
    sender: Sender,
    operation: Operation,
  ) => Promise<Search | undefined>;
  /** Lists the checks of inputs, if there are any; each input has a valid request. */
  readonly checks?: (tested: Tested) => readonly Check[];
  /** Whether the contract of an operation lets the property apply; by default, it does. */
  readonly appliesTo?: (operation: Operation) => boolean;
  /** Whether operations below the same middleware may fail for the same cause. */
  readonly sharesCauses?: true;
  /** Whether valid requests show that an operation was tested. */
  readonly showsTested?: true;
  /**
   * Whether the test of a failure repeats the run. Requests as text cannot contain the
   * cursor, the `ETag` or the key of an earlier response, and cannot show what happens
   * at once.
   */
  readonly isRerun?: true;
  /** Whether `rateLimit()` keeps its limits during the test. */
  readonly keepsLimits?: true;
}

/** Checks a response; `undefined` if it keeps the property. */
type Judge = (sent: Sent) => Fault | undefined | Promise<Fault | undefined>;

/** A request of a kind, and its response. */
interface Sent extends Tested {
  readonly input: Input;
  readonly exchange: Exchange;
  /** The rejection that an invalid request expects. */
  readonly refusal?: Refusal;
}

/** The properties, in the order of testing and of the columns of results. */
export const PROPERTIES: Readonly<Record<PropertyName, Property>> = {
  failure: {
    title: "no request makes the application fail",
    test: failureProperty,
    valid: ({ exchange }) => failureOf(exchange),
    invalid: ({ exchange }) => failureOf(exchange),
    showsTested: true,
  },
  accepted: {
    title: "valid requests are accepted",
    valid: ({ operation, exchange }) => acceptanceFault(operation, exchange),
    sharesCauses: true,
    showsTested: true,
  },
  refused: {
    title:
      "invalid requests are rejected, and the response names the invalid part",
    appliesTo: isChecked,
    invalid: ({ operation, exchange, refusal }) =>
      refusalFault(operation, refusal!, exchange) ??
        (exchange.status === refusal!.status
          ? formatFault(operation, exchange)
          : undefined),
    sharesCauses: true,
  },
  declared: {
    title: "only declared responses are sent",
    valid: ({ operation, exchange }) => declarationFault(operation, exchange),
    sharesCauses: true,
    showsTested: true,
  },
  methods: {
    title: "HEAD and ranges match GET, and OPTIONS and 405 list the methods",
    checks: methodChecks,
    sharesCauses: true,
  },
  security: {
    title: "operations require credentials as declared",
    checks: securityChecks,
    // An operation below a guard may allow anonymous requests.
    appliesTo: ({ security, method, route: { contracts } }) =>
      needsCredentials(security) || contractsFor(contracts, method)
        .some(({ contract }) => needsCredentials(contract.security)),
    sharesCauses: true,
  },
  state: {
    title: "created resources can be read, changed and deleted",
    test: async (sender, operation) => {
      const found = await stateProperty(sender, operation);
      if (found?.counterexample !== undefined) return found;
      const others = await inTurn([
        () => judge("state", { sender, operation }),
        () => tracesProperty(sender, operation),
      ]);
      return others.counterexample === undefined ? found : others;
    },
    valid: ({ sender, operation, exchange }) =>
      locationFault(sender, operation, exchange),
  },
  pages: {
    title: "pages contain each item once, and end",
    test: pagesProperty,
    isRerun: true,
  },
  repeats: {
    title: "conditional requests and requests with a key can be repeated",
    test: repeatsProperty,
    isRerun: true,
  },
  live: {
    title: "streams and sockets keep their contract while they stay open",
    test: liveProperty,
    isRerun: true,
  },
  access: {
    title: "users reach only what is declared",
    test: accessProperty,
  },
  limits: {
    title: "rate limits are kept",
    test: limitsProperty,
    appliesTo: ({ responses }) => responses.has(429),
    isRerun: true,
    keepsLimits: true,
  },
};

export const PROPERTY_NAMES: readonly PropertyName[] = Object.keys(
  PROPERTIES,
) as PropertyName[];

/** Tests a property with an operation; `undefined` if the property does not apply. */
export async function testProperty(
  property: PropertyName,
  tested: Tested,
): Promise<Search | undefined> {
  const { sender, operation } = tested;
  if (property !== "failure" && sender.results.silent.has(operation)) {
    return { runs: 0, note: "not tested: no response to earlier requests" };
  }
  const { test, checks, valid } = PROPERTIES[property];
  if (test !== undefined) return await test(sender, operation);
  if (checks !== undefined) return await findIn(checks(tested), tested);
  const found = await judge(property, tested);
  const reason = valid && untestedReason(sender, operation);
  if (reason !== undefined) {
    return { ...found, runs: 0, note: found.note ?? reason };
  }
  // Some schemas, such as that of optional headers, accept every change.
  const { runs, note, counterexample } = found;
  return runs === 0 && (note ?? counterexample) === undefined
    ? undefined
    : found;
}

/** Also reports that an operation was silent while test data were listed and created. */
async function failureProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search> {
  // No operation has been tested yet.
  if (sender.history.length === 0) await sender.prepare();
  const exchange = sender.results.silent.get(operation);
  const fault = exchange && failureOf(exchange);
  // The judgements find and shrink all other failures.
  if (fault?.kind !== "timeout") {
    return await judge("failure", { sender, operation });
  }
  const { isResettable: replays } = sender.subject.target;
  const requests = [exchange!.plan];
  return { runs: 1, counterexample: { fault, requests, replays } };
}

/**
 * Functions that send the requests of a kind, and the number of planned requests, which
 * come first. If a function has no request, fast-check drops it.
 */
type Requests = readonly [fc.Arbitrary<() => Promise<Sent>>, planned: number];

function validRequests(
  { sender, operation }: Tested,
  valid: Planned<Input>,
): Requests {
  const sends = valid.map((input) => async () => {
    const plan = await validPlan(operation, input);
    const exchange = await sender.send(plan, operation.patience);
    const { status } = exchange;
    const { inputs, statuses, refused } = sender.results.of(operation);
    inputs.push(input);
    statuses.add(status);
    if (isRefusal(operation, status)) refused.push(input);
    return { sender, operation, input, exchange };
  });
  return [sends, valid.planned.length];
}

/** Invalid requests: a valid input with one change. */
function invalidRequests(
  { sender, operation }: Tested,
  valid: Planned<Input>,
): Requests {
  const choices = [...Array(changeCount(operation)).keys()];
  const byType = Map.groupBy(valid.planned, ({ type }) => type);
  const firsts = [...byType.values()].map(([first]) => first!);
  const bases = choices.map((choice) => firsts[choice % firsts.length]!);
  const sends = fc.tuple(
    new Planned(bases, valid),
    new Planned(choices, fc.integer({ min: choices.length, max: 100_000 })),
  ).map(([input, choice]) => async () => {
    await validPlan(operation, input);
    const refusal = await mutate(operation, input, choice);
    fc.pre(refusal !== undefined);
    const exchange = await sender.send(refusal!.plan, operation.patience);
    return { sender, operation, input, exchange, refusal: refusal! };
  });
  return [sends, choices.length];
}

const KINDS = ["valid", "invalid"] as const;

/** Judges the responses to requests of the kinds that the row of a property judges. */
function judge(property: PropertyName, tested: Tested): Promise<Search> {
  return inTurn(
    KINDS.map((kind) => () => judgeKind(property, { kind, ...tested })),
  );
}

/** The random requests after the planned ones, in addition to a fifth of `runs`. */
const RANDOM = 20;

/**
 * Judges the responses to requests of one kind. All rows judge the responses of one
 * search; only the test of a row that finds a violation searches again, and shrinks it.
 */
async function judgeKind(
  property: PropertyName,
  { kind, ...tested }: Tested & { readonly kind: typeof KINDS[number] },
): Promise<Search> {
  const { sender, operation } = tested;
  const judgement = PROPERTIES[property][kind];
  const isSent = kind === "valid" || isChecked(operation);
  if (judgement === undefined || !isSent) return { runs: 0 };
  const { held } = sender.results.of(operation);
  const runs = held.get(`${kind} ${property}`);
  if (runs !== undefined) return { runs };
  const others = new Set(PROPERTY_NAMES.filter((name) => name !== property));
  const attempt = async (send: () => Promise<Sent>) => {
    const sent = await send();
    // A missing response ends the run, but only `failure` reports the missing response.
    if (property !== "failure") endIfAsked(sent.exchange);
    const fault = await judgement(sent);
    if (fault !== undefined) return fault;
    endIfAsked(sent.exchange);
    for (const name of others) {
      // If a judgement throws, its property reports the error.
      const judged = Promise.try(() => PROPERTIES[name][kind]?.(sent));
      if (await judged.catch(faultOf) !== undefined) others.delete(name);
    }
    return undefined;
  };
  const found = await withInputs(sender, operation, (inputs, large) => {
    const [sends, planned] = kind === "valid"
      ? validRequests(tested, inputs.followedBy(large))
      : invalidRequests(tested, inputs);
    const most = runsOf(sender.subject, operation);
    const runs = Math.min(most, planned + RANDOM + Math.ceil(most / 5));
    return search(sender, sends, { runs, attempt });
  });
  if ((found.counterexample ?? found.note) !== undefined) return found;
  for (const name of others) held.set(`${kind} ${name}`, found.runs);
  return found;
}
