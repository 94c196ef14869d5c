/** The messages that were sent; in your application, a mail server has them. */
export const sent: string[] = [];

/** Sends a message. */
export async function send(message: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  sent.push(message);
}
