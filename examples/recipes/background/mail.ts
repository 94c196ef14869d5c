/** Sends a mail by the service at `MAIL_URL`. */
export async function sendMail(
  to: string,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(Deno.env.get("MAIL_URL")!, {
    method: "POST",
    body: JSON.stringify({ to, text }),
    signal,
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The mail service says ${response.status}`);
}
