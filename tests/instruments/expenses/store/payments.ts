import { HttpError } from "@bough/framework";
import type { Position } from "../pages.ts";
import type { Payment } from "../schemas.ts";
import { now, type Store } from "./database.ts";
import { getReport, setStatus } from "./reports.ts";
import type { Viewer } from "./users.ts";

const PAYMENT = `payments.id, report AS reportId, payments.cents, reference,
  payments.created_at AS createdAt`;
const FROM = "FROM payments JOIN reports ON reports.id = report";

/** A new payment. */
export interface NewPayment {
  readonly reportId: number;
  readonly cents: number;
  readonly reference: string | null;
}

/** Lists the payments to a user, the newest first. */
export function listPayments(
  store: Store,
  user: Viewer,
  [at, id]: Position,
  limit: number,
): Payment[] {
  return store.all(
    `SELECT ${PAYMENT} ${FROM}
     WHERE owner = :owner AND (payments.created_at, payments.id) < (:at, :id)
     ORDER BY payments.created_at DESC, payments.id DESC LIMIT :limit`,
    { owner: user.id, at, id, limit },
  );
}

/** A payment to a user; 404 if there is none. */
export function getPayment(store: Store, user: Viewer, id: number): Payment {
  const payment = store.get<Payment>(
    `SELECT ${PAYMENT} ${FROM} WHERE payments.id = :id AND owner = :owner`,
    { id, owner: user.id },
  );
  if (payment !== undefined) return payment;
  throw new HttpError(404, `There is no payment ${id}`);
}

/**
 * Pays once for each key of a user.
 *
 * @throws {HttpError} 422 if another request had the key, 409 if the first request
 * with the key is still running.
 */
export async function payOnce(
  store: Store,
  user: Viewer,
  key: string,
  payment: NewPayment,
): Promise<Payment> {
  const request = JSON.stringify([
    payment.reportId,
    payment.cents,
    payment.reference,
  ]);
  const id = { user: user.id, key };
  const earlier = store.get<{ request: string; payment: number | null }>(
    "SELECT request, payment FROM idempotency_keys WHERE user = :user AND key = :key",
    id,
  );
  if (earlier !== undefined) {
    if (earlier.request !== request) {
      throw new HttpError(422, "The key belongs to another payment");
    }
    if (earlier.payment === null) {
      throw new HttpError(409, "The first request with this key is running", {
        headers: { "retry-after": "1" },
      });
    }
    return getPayment(store, user, earlier.payment);
  }
  store.run(
    "INSERT INTO idempotency_keys (user, key, request) VALUES (:user, :key, :request)",
    { ...id, request },
  );
  try {
    const paid = pay(store, user, payment);
    await transfer();
    store.run(
      "UPDATE idempotency_keys SET payment = :payment WHERE user = :user AND key = :key",
      { ...id, payment: paid },
    );
    return getPayment(store, user, paid);
  } catch (error) {
    // A payment that was rejected may be repeated with the same key.
    store.run(
      "DELETE FROM idempotency_keys WHERE user = :user AND key = :key",
      id,
    );
    throw error;
  }
}

/** Books a payment, before anything is awaited: so no report is paid twice. */
function pay(
  store: Store,
  user: Viewer,
  { reportId, cents, reference }: NewPayment,
): number {
  const { report } = getReport(store, user, reportId);
  const { paid } = store.get<{ paid: number }>(
    "SELECT coalesce(sum(cents), 0) AS paid FROM payments WHERE report = :reportId",
    { reportId },
  )!;
  const rest = report.cents - paid;
  if (report.status !== "approved" || cents > rest) {
    throw new HttpError(409, `Report ${reportId} cannot be paid`, {
      state: report.status,
    });
  }
  const { id } = store.run(
    `INSERT INTO payments (created_at, report, cents, reference)
     VALUES (:at, :reportId, :cents, :reference)`,
    { at: now(), reportId, cents, reference },
  );
  if (cents === rest) setStatus(store, reportId, "paid", report.decidedBy);
  return id;
}

/** Placeholder for the bank. */
function transfer(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
