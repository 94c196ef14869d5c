import { HttpError } from "@bough/framework";

/** A payment that was made. */
export interface Payment {
  readonly id: number;
  readonly cents: number;
}

export const payments: Payment[] = [];

/** Pays, in the time that a bank takes. */
export async function pay(cents: number): Promise<Payment> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  if (cents > 1_000_000) throw new HttpError(402, "The card is not covered");
  const payment = { id: payments.length + 1, cents };
  payments.push(payment);
  return payment;
}
