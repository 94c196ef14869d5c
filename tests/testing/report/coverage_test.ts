/** How much of an application a run tested. */
import { assertEquals } from "@std/assert";
import type { Operation } from "../../../src/testing/operation.ts";
import { Results } from "../../../src/testing/search/results.ts";
import type { Sender } from "../../../src/testing/search/sender.ts";
import {
  coverageOf,
  untestedReason,
} from "../../../src/testing/report/report.ts";

function operationOf(name: string, isGuarded = false): Operation {
  const security = isGuarded ? [{ bearer: [] }] : [];
  return { name, security, schema: {} } as unknown as Operation;
}

type Statuses = readonly (number | undefined)[];

/** The sender of a run in which operations responded with some statuses. */
function senderOf(
  statuses: readonly (readonly [Operation, Statuses])[],
  options: Record<string, unknown> = {},
  leftOut: readonly Operation[] = [],
  late: readonly (readonly [Operation, string])[] = [],
): Sender {
  const results = new Results();
  for (const [operation, all] of statuses) {
    for (const each of all) results.of(operation).statuses.add(each);
  }
  for (const [operation, property] of late) {
    results.late.set(operation, property);
  }
  return {
    subject: {
      operations: statuses.map(([operation]) => operation),
      options: { as: {}, strict: false, ...options },
      leftOut,
    },
    results,
    missingOf: ({ name }: Operation) =>
      name === "missing" ? "body: nothing fits" : undefined,
  } as unknown as Sender;
}

Deno.test("an operation is untested if each response rejects its request", () => {
  const reasonOf = (statuses: Statuses, name = "a", as = {}) => {
    const operation = operationOf(name);
    return untestedReason(
      senderOf([[operation, statuses]], { as }),
      operation,
    );
  };
  for (const statuses of [[200], [404, 201], [400, 303], [500], [426]]) {
    assertEquals(reasonOf(statuses), undefined);
  }
  for (const statuses of [[400], [422], [401, 409]]) {
    assertEquals(
      reasonOf(statuses),
      `every response had the status ${
        statuses.join(" or ")
      }; provide accepted values with "generators"`,
    );
  }
  assertEquals(reasonOf([409, undefined]), "no response");
  assertEquals(reasonOf([]), "no request was sent");
  assertEquals(reasonOf([], "missing"), "body: nothing fits");
  assertEquals(reasonOf([undefined, 404]), "no response");
  for (const status of [429, 503]) {
    assertEquals(reasonOf([status]), `every response had the status ${status}`);
  }
  assertEquals(
    reasonOf([404, 401]),
    'every response had the status 401 or 404; provide existing values with "generators"',
  );
  for (const status of [401, 403]) {
    const seen = `every response had the status ${status}`;
    assertEquals(
      reasonOf([status]),
      `${seen}; send credentials with "as"`,
    );
    assertEquals(
      reasonOf([status], "a", { a: "b" }),
      `${seen}, even with the headers of "as"`,
    );
  }
});

Deno.test("a socket is tested if a message was sent, or if it receives none", () => {
  const reasonsOf = (receive: unknown, statuses: Statuses) => {
    const schema = { socket: { value: { receive } } };
    const operation = { ...operationOf("a"), schema } as unknown as Operation;
    return coverageOf(senderOf([[operation, statuses]]), true).untested
      .map(({ reason }) => reason);
  };
  assertEquals(reasonsOf({}, [426]), [
    "no handler received a message over its socket",
  ]);
  assertEquals(reasonsOf({}, [426, 101]), []);
  assertEquals(reasonsOf(undefined, [426]), []);
});

Deno.test("a run has a problem if it tested nothing, or if every guard rejected it", () => {
  const as = { authorization: "Bearer x" };
  const [a, b] = [operationOf("a"), operationOf("b", true)];
  const problemOf = (
    statuses: readonly (readonly [Operation, Statuses])[],
    options: Record<string, unknown> = {},
    leftOut: readonly Operation[] = [],
  ) => coverageOf(senderOf(statuses, options, leftOut), true).problem;
  const none = "no operation was tested";
  const refused =
    'every operation that requires credentials rejected the credentials of "as" with 401';
  assertEquals(problemOf([]), none);
  assertEquals(problemOf([[a, [404]], [b, []]]), none);
  assertEquals(problemOf([], {}, [a]), none);
  assertEquals(problemOf([[a, [200]], [b, [401]]]), undefined);
  assertEquals(problemOf([[a, [200]], [b, [401]]], { as }), refused);
  assertEquals(problemOf([[a, [200]], [b, [401, 429, 503]]], { as }), refused);
  for (const statuses of [[429], [401, 200], [401, 403], []]) {
    assertEquals(problemOf([[a, [200]], [b, statuses]], { as }), undefined);
  }
  const strict = true;
  assertEquals(problemOf([[a, [200]]], { strict }), undefined);
  assertEquals(
    problemOf([[a, [200]], [b, [401]]], { strict }, [a]),
    "2 of 3 operations were not tested",
  );
  assertEquals(
    coverageOf(senderOf([[a, [200]], [b, [503]]], {}, [a]), true)
      .untested,
    [
      { operation: "b", reason: "every response had the status 503" },
      {
        operation: "a",
        reason:
          'not sent to a running server; allow such requests with "unsafe"',
      },
    ],
  );
});

Deno.test("an operation without time for a property is untested, and fails a strict run", () => {
  const [a, b] = [operationOf("a"), operationOf("b")];
  const late = [[a, "declared"]] as const;
  const statuses = [[a, [200]], [b, [200]]] as const;
  assertEquals(coverageOf(senderOf(statuses, {}, [], late), true), {
    untested: [{
      operation: "a",
      reason: 'no time for the property "declared" and those after it',
    }],
    problem: undefined,
  });
  const strict = { strict: true };
  assertEquals(
    coverageOf(senderOf(statuses, strict, [], late), true).problem,
    "1 of 2 operations were not tested",
  );
  const none = [[a, []], [b, []]] as const;
  assertEquals(
    coverageOf(senderOf(none, {}, [], late), true).problem,
    "no operation was tested",
  );
});
