/** The schemas that routes share; the document names those with an id. */
import { z } from "zod";

/** An id in a path: digits, as a number. */
export const id = z.string().regex(/^[1-9]\d{0,14}$/, "must be a whole number")
  .transform(Number);

/** One line of text that is not blank. */
export function line(max: number) {
  return z.string().trim().min(1).max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not contain control characters");
}

/** Text of several lines. */
export const note = z.string().trim().max(1_000)
  .regex(
    /^(?:[\n\t]|[^\p{Cc}\p{Cs}])*$/u,
    "must not contain control characters",
  );

/** Money, in the smallest unit of its currency. */
export const cents = z.int().min(1).max(10_000_000);

/** A user, as the user and the administrators see them. */
export const User = z.strictObject({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  role: z.enum(["member", "admin"]),
  iban: z.string().nullable(),
}).meta({ id: "User" });
export type User = z.infer<typeof User>;

export const password = z.string().min(8).max(200)
  .meta({ format: "password" });

/** A bank account, without spaces. */
export const iban = z.string().regex(/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/);

/** The changes that users may make to themselves. */
export const UserChanges = z.strictObject({
  name: line(80).exactOptional(),
  email: z.email().max(200).exactOptional(),
  iban: iban.nullable().exactOptional(),
});
export type UserChanges = z.infer<typeof UserChanges>;

/** A session, with the token that its client sends. */
export const Session = z.strictObject({
  token: z.string(),
  expiresAt: z.iso.datetime(),
  user: User,
}).meta({ id: "Session" });

export const Status = z.enum([
  "draft",
  "submitted",
  "approved",
  "rejected",
  "paid",
]);
export type Status = z.infer<typeof Status>;

/** The decision of an administrator. */
export const Decision = z.enum(["approved", "rejected"]);
export type Decision = z.infer<typeof Decision>;

/** An expense report, with the sum of its items. */
export const Report = z.strictObject({
  id: z.int(),
  title: z.string(),
  purpose: z.string().nullable(),
  currency: z.enum(["EUR", "USD", "GBP"]),
  status: Status,
  cents: z.int(),
  createdAt: z.iso.datetime(),
  decidedBy: z.int().nullable().describe("The id of the administrator"),
}).meta({ id: "Report" });
export type Report = z.infer<typeof Report>;

/** The values of a new report. */
export const NewReport = z.strictObject({
  title: line(120),
  purpose: note.nullable().default(null),
  currency: Report.shape.currency,
});
export type NewReport = z.infer<typeof NewReport>;

/** The changes of a draft. */
export const ReportChanges = z.strictObject({
  title: line(120).exactOptional(),
  purpose: note.nullable().exactOptional(),
});
export type ReportChanges = z.infer<typeof ReportChanges>;

/** A report that an administrator has to decide on. */
export const Submission = Report.extend({ owner: z.string() })
  .meta({ id: "Submission" });
export type Submission = z.infer<typeof Submission>;

export const Category = z.enum([
  "travel",
  "lodging",
  "meals",
  "supplies",
  "other",
]);

/** A line of a report. */
export const Item = z.strictObject({
  id: z.int(),
  date: z.iso.date(),
  category: Category,
  cents: z.int(),
  note: z.string().nullable(),
}).meta({ id: "Item" });
export type Item = z.infer<typeof Item>;

/** The values of a new item. */
export const NewItem = z.strictObject({
  date: z.iso.date(),
  category: Category,
  cents,
  note: note.nullable().default(null),
});
export type NewItem = z.infer<typeof NewItem>;

/** The changes of an item. */
export const ItemChanges = z.strictObject({
  date: z.iso.date().exactOptional(),
  category: Category.exactOptional(),
  cents: cents.exactOptional(),
  note: note.nullable().exactOptional(),
});
export type ItemChanges = z.infer<typeof ItemChanges>;

/** The types of receipts. */
export const RECEIPT_TYPES = ["image/png", "image/jpeg", "application/pdf"];

/** The size of the largest receipt, in bytes. */
export const MAX_RECEIPT = 100_000;

/** An uploaded receipt, without its content. */
export const Receipt = z.strictObject({
  id: z.int(),
  name: z.string(),
  type: z.string(),
  bytes: z.int(),
}).meta({ id: "Receipt" });
export type Receipt = z.infer<typeof Receipt>;

/** The payment of a report, as a whole or in parts. */
export const Payment = z.strictObject({
  id: z.int(),
  reportId: z.int(),
  cents: z.int(),
  reference: z.string().nullable(),
  createdAt: z.iso.datetime(),
}).meta({ id: "Payment" });
export type Payment = z.infer<typeof Payment>;

/** The headers of a request that changes a report. */
export const ifMatch = z.object({ "if-match": z.string().max(500).optional() });

/** The response to a request that created a resource. */
export function created<Schema extends z.ZodType>(body: Schema) {
  return { body, headers: z.object({ location: z.string() }) };
}
