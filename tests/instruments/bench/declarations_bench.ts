/** The check of 1,000 declared permissions, compared with a start that has 1,000 routes. */
import { Framework } from "@bough/framework";
import { Faults } from "../../../src/core/common/faults.ts";
import { checkForm } from "../../../src/core/common/forms.ts";
import {
  PERMISSIONS,
  reportMissing,
} from "../../../src/core/start/permissions.ts";

const files = Array.from({ length: 1_000 }, (_, id) => `r${id}/route.ts`);
const GET = () => new Response();
const manifest = Object.fromEntries(files.map((file) => [file, { GET }]));
const permissions = {
  net: ["api.example.com", "db.example.com:5432"],
  env: ["KEY", "OTHER_*"],
};

Deno.bench("a start with 1,000 routes in memory", {
  group: "declarations",
  baseline: true,
}, async () => {
  await new Framework({ manifest }).start();
});

Deno.bench("the check of 1,000 declarations", { group: "declarations" }, () => {
  const declarations = new Map(files.map((file) => [file, permissions]));
  for (const each of declarations.values()) {
    checkForm(PERMISSIONS, each, "permissions", () => {});
  }
  reportMissing(declarations, new Faults(), "api");
});
