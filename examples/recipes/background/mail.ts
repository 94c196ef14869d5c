/** Sends a mail by the service at `MAIL_URL`. */
export async function sendMail(to: string, text: string): Promise<void> {
  const response = await fetch(Deno.env.get("MAIL_URL")!, {
    method: "POST",
    body: JSON.stringify({ to, text }),
    signal: AbortSignal.timeout(5_000),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The mail service says ${response.status}`);
}
