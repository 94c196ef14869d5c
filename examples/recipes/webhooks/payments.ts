/** A payment that the sender reports. */
export interface Payment {
  readonly order: string;
  readonly cents: number;
}

/** In your application, a database with the id of the message as a unique key. */
export const payments: Payment[] = [];

/** Books a payment. */
export function addPayment(payment: Payment): void {
  payments.push(payment);
}
