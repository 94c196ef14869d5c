/** Sends a mail by SMTP. */
export async function sendMail(
  server: string,
  to: string,
  text: string,
): Promise<void> {
  const { hostname, port } = new URL(`smtp://${server}`);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const bytes = new Uint8Array(1_000);
  const say = async (line: string, code: string) => {
    await connection.write(new TextEncoder().encode(line));
    const count = await connection.read(bytes) ?? 0;
    const reply = new TextDecoder().decode(bytes.subarray(0, count));
    if (!reply.startsWith(code)) throw new Error(`Mail server: ${reply}`);
  };
  await say("", "220");
  await say("MAIL FROM:<service@mail.example>\r\n", "250");
  await say(`RCPT TO:<${to}>\r\n`, "250");
  await say("DATA\r\n", "354");
  await say(`To: ${to}\r\n\r\n${text}\r\n.\r\n`, "250");
}
