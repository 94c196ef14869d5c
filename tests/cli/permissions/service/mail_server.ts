/** A mail server for tests, at a free port. */
export class MailServer implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving = this.#serve();
  readonly address: string = `127.0.0.1:${this.#listener.addr.port}`;
  readonly mails: string[] = [];

  async #serve(): Promise<void> {
    for await (const connection of this.#listener) {
      const reply = (line: string) =>
        connection.write(new TextEncoder().encode(`${line}\r\n`));
      await reply("220 ready");
      const lines = connection.readable.pipeThrough(new TextDecoderStream());
      for await (const text of lines) {
        const mail = /\r\n\r\n(.*)\r\n\.\r\n$/.exec(text)?.[1];
        if (mail !== undefined) this.mails.push(mail);
        await reply(text.startsWith("DATA") ? "354 go on" : "250 fine");
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving;
  }
}
