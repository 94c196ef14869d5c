import {
  checkContracts,
  type CheckOptions,
  type ContractFailure,
  type ContractReport,
} from "@bough/framework/testing";
import { HttpError } from "@bough/framework";
import { assertEquals, assertMatch } from "@std/assert";
import {
  events,
  type EventsContext,
  socket,
  type SocketHandlers,
} from "@bough/framework/live";
import type { Exchange } from "../../src/testing/send/exchange.ts";
import { TestApplication, type TestModule } from "../support/application.ts";
import { FastTime } from "./fast_time.ts";
import { passes } from "./run_test_text.ts";

/** The exports of the files of an application, by path. */
export type Modules = Readonly<Record<string, TestModule>>;

export type Handler = NonNullable<TestModule["POST"]>;

/** Tests an application in this process, without waiting for timers. */
export async function checkFast(
  app: Parameters<typeof checkContracts>[0],
  options: CheckOptions,
): Promise<ContractReport> {
  using _ = new FastTime();
  return await checkContracts(app, options);
}

/** Tests an application in memory, which is created again for each reset. */
export async function check(
  files: Modules,
  options: CheckOptions = {},
): Promise<ContractReport> {
  return await checkFast(
    () => TestApplication.of(files).app,
    { seed: 11, runs: 60, ...options },
  );
}

/** Like {@linkcode passes}, without waiting for timers. */
export async function passesFast(
  ...given: Parameters<typeof passes>
): Promise<boolean> {
  using _ = new FastTime();
  return await passes(...given);
}

/** Whether the test of a report passes with an application. */
export async function passesWith(
  files: Modules,
  test: string,
): Promise<boolean> {
  return await passesFast(test, TestApplication.of(files).app);
}

// deno-lint-ignore no-explicit-any
type Loose = any;

/** `events()` with events that may violate their schemas. */
export const looseEvents = events as unknown as (
  request: Request,
  generate: (context: EventsContext) => AsyncIterable<Loose>,
) => Response;

/** `socket()` with messages that may violate their schemas. */
export const looseSocket = socket as unknown as (
  request: Request,
  handlers: SocketHandlers<Loose, Loose>,
) => Response;

/** The findings, as `property operation`. */
export function found({ failures }: ContractReport): string[] {
  return failures.flatMap(({ property, operations }) =>
    operations.map((operation) => `${property} ${operation}`)
  );
}

/** Values by name. A missing one leads to 404. */
export class Store<Value> extends Map<string, Value> {
  find(name = ""): Value {
    const value = this.get(name);
    if (value === undefined) throw new HttpError(404);
    return value;
  }

  remove(name = ""): Response {
    this.find(name);
    this.delete(name);
    return new Response(null, { status: 204 });
  }
}

/** Fails if a report has failures, and shows them. */
export function assertSilent({ failures }: ContractReport, name = ""): void {
  assertEquals(
    failures.map(({ expected, seen, curl }) => [expected, seen, curl]),
    [],
    name,
  );
}

/** An application without and with a fault, which a reset empties. */
interface Twins {
  readonly faulty: Modules;
  readonly healthy: Modules;
  readonly reset?: () => void;
}

/**
 * Checks that a report shows one fault, whose request sequence replays, and whose test fails
 * with the fault and passes without it.
 */
export async function assertFound(
  { failures }: ContractReport,
  wanted: RegExp,
  { faulty, healthy, reset = () => {} }: Twins,
): Promise<void> {
  assertEquals(failures.length, 1, failures.map(({ seen }) => seen).join("\n"));
  const [{ expected, seen, test, replays }] = failures as [ContractFailure];
  assertMatch(`${expected}: ${seen}`, wanted);
  const passing = [];
  for (const files of [faulty, healthy]) {
    reset();
    passing.push(await passesWith(files, test));
  }
  assertEquals([replays, ...passing], [true, false, true], test);
}

/** An exchange whose response has a status and JSON. */
export function exchange(
  status: number | undefined,
  json?: unknown,
  further: Partial<Exchange> = {},
): Exchange {
  return {
    plan: { method: "GET", target: "/api/a", headers: {} },
    status,
    headers: new Headers({ "content-type": "application/json" }),
    body: json === undefined
      ? undefined
      : new TextEncoder().encode(JSON.stringify(json)),
    isCut: false,
    stream: "",
    errors: [],
    ...further,
  };
}
