import { HttpError } from "@bough/framework";

/** A completed payment. */
export interface Payment {
  readonly id: number;
  readonly cents: number;
}

export const payments: Payment[] = [];

/** Your bank, which takes its time. */
export const bank = {
  transfer: (): Promise<void> => new Promise((done) => setTimeout(done, 50)),
};

/** Pays by a transfer. */
export async function pay(cents: number): Promise<Payment> {
  await bank.transfer();
  if (cents > 1_000_000) throw new HttpError(402, "The card is not covered");
  const payment = { id: payments.length + 1, cents };
  payments.push(payment);
  return payment;
}
