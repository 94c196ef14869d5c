/** The schemas of the routes test the service, as each of its users. */
import { contractTests } from "@bough/framework/testing";
import { identities } from "./identities.ts";
import { createApp } from "./main.ts";

const receipt = new File(["%PDF-1.7"], "ticket.pdf", {
  type: "application/pdf",
});

contractTests(createApp, {
  as: identities,
  generators: {
    "POST /reports/[reportId]/receipts": { body: [{ file: receipt }] },
    "POST /sessions": {
      body: [{ email: "bob@example.com", password: "bob-password" }],
    },
  },
  runs: 5,
});
