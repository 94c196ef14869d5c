import { assertEquals } from "@std/assert";
import { TestApplication } from "../../support/application.ts";
import { assertFound, assertSilent, check, checkFast } from "../support.ts";
import {
  FAULTS,
  FOLLOWED,
  invoices,
  PARTS,
  type Parts,
  set,
  store,
} from "./invoices.ts";

const reset = () => store.clear();

// Slow: each failure is shrunk several times, 30 CPU seconds.
for (const [name, parts] of Object.entries(FAULTS)) {
  Deno.test(`the test of a report shows ${name}`, async () => {
    const { app } = TestApplication.of(invoices(parts));
    const optionsOf = (seed: number) =>
      ({ properties: ["state"], runs: 50, seed }) as const;
    const countWith = async (seed: number) => {
      reset();
      return (await checkFast(app, optionsOf(seed))).failures.length;
    };
    // One of two seeds shows each fault.
    const seed = await countWith(7) === 0 ? 8 : 7;
    assertEquals(await countWith(seed), 1);
    const options = optionsOf(seed);
    const [faulty, healthy] = [invoices(parts), invoices()];
    const report = await check(faulty, { ...options, reset });
    await assertFound(report, /^/, { faulty, healthy, reset });
  });
}

/** Ways of storing that are unusual, but legal. */
const LEGAL: Readonly<Record<string, Parts>> = {
  "invoices as sent": {},
  "deleted invoices in the list, with the time of their deletion": {
    remove: (invoice) => set(invoice, { deleted: store.now() }),
  },
  "the list of yesterday": { listed: () => [] },
  "no lines of an invoice that is missing": { linesOf: ({ id }) => Number(id) },
  "an invoice that the server deletes later": {
    removed: 202,
    remove: () => {},
    removeLines: () => {},
  },
  "a first line of each invoice": {
    onCreated: ({ id: invoice }) =>
      void store.lines.push({ id: store.now(), invoice, text: "" }),
  },
  ...Object.fromEntries(
    [200, 409].map((status): [string, Parts] => [
      `a ${status} for a second invoice with the same title`,
      {
        existing: ({ title }) => {
          const same = [...store.invoices.values()]
            .find((invoice) => invoice.title === title);
          if (same === undefined) return undefined;
          const headers = { location: `/api/invoices/${same.id}` };
          const body = { invoice: PARTS.shown(same) };
          return Response.json(body, { status, headers });
        },
      },
    ]),
  ),
  "a number for a note that is known": {
    merged: (values, id) => {
      const isKnown = [...store.invoices.values()]
        .some((each) => each.id !== id && each.note === values.note);
      return isKnown && values.note
        ? { ...values, note: `${values.note}-${id}` }
        : values;
    },
  },
  "another identifier after a change": {
    moved: ({ id }) => {
      const next = store.nextId();
      store.invoices.delete(id);
      return next;
    },
  },
};

// Slow: 10 services with two seeds each, 12 CPU seconds.
for (const [name, parts] of Object.entries(LEGAL)) {
  Deno.test(`a lifecycle raises no alarm: ${name}`, async () => {
    for (const seed of [1, 2]) {
      const report = await check(invoices(parts), {
        properties: ["state"],
        runs: 30,
        seed,
        reset,
      });
      assertSilent(report);
      assertEquals(
        report.results.map(({ operation, note }) => [operation, note]),
        FOLLOWED.map((operation) => [operation, undefined]),
      );
    }
  });
}
