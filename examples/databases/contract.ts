import type { ContractTestOptions } from "@bough/framework/testing";
import type { Database } from "@/database.ts";

/** How contract tests use a database. */
export function contractOptions(db: Database): ContractTestOptions {
  return {
    as: {
      ada: { authorization: "Bearer change-me-ada" },
      bob: { authorization: "Bearer change-me-bob" },
    },
    async reset() {
      await db.deleteFrom("orders").execute();
      await db.updateTable("products").set({ stock: 1_000_000 }).execute();
    },
    generators: { "POST /orders": { body: [{ product: "tea", count: 1 }] } },
    strict: true,
  };
}
