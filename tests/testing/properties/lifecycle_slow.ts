import { assertEquals } from "@std/assert";
import { assertFound, assertSilent, check } from "../support.ts";
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
    const [faulty, healthy] = [invoices(parts), invoices()];
    const checkWith = (seed: number) => {
      reset();
      const options = { properties: ["state"], runs: 50, seed } as const;
      return check(faulty, { ...options, reset });
    };
    // One of two seeds shows each fault.
    const first = await checkWith(7);
    const report = first.failures.length > 0 ? first : await checkWith(8);
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
