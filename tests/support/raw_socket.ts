/** The kinds of frames (RFC 6455, 11.8). */
export const OPCODE = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;

/** Options of a frame; by default it is masked and final. */
export interface FrameOptions {
  readonly final?: boolean;
  /** Whether it is masked, as frames of clients must be. */
  readonly masked?: boolean;
  /** The three reserved bits, in their place: `0x40` says that it is compressed. */
  readonly reserved?: number;
}

export interface Frame {
  readonly opcode: number;
  readonly payload: Uint8Array;
}

const MASK = [0x37, 0xfa, 0x21, 0x3d];

export function frame(
  opcode: number,
  payload: string | Uint8Array = "",
  { final = true, masked = true, reserved = 0 }: FrameOptions = {},
): Uint8Array<ArrayBuffer> {
  const bytes = typeof payload === "string"
    ? new TextEncoder().encode(payload)
    : payload;
  const { length } = bytes;
  const flag = masked ? 0x80 : 0;
  const head = [(final ? 0x80 : 0) | reserved | opcode];
  if (length < 126) head.push(flag | length);
  else if (length < 65_536) head.push(flag | 126, length >> 8, length & 255);
  else {
    head.push(flag | 127, 0, 0, 0, 0);
    for (const shift of [24, 16, 8, 0]) head.push((length >>> shift) & 255);
  }
  if (masked) head.push(...MASK);
  const result = new Uint8Array(head.length + length);
  result.set(head);
  result.set(
    masked ? bytes.map((byte, index) => byte ^ MASK[index & 3]!) : bytes,
    head.length,
  );
  return result;
}

export function closePayload(code: number, reason = ""): Uint8Array {
  return new Uint8Array([
    code >> 8,
    code & 255,
    ...new TextEncoder().encode(reason),
  ]);
}

/** Joins bytes for a single write. */
export function joined(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** A client that writes frames by hand, and does nothing by itself. */
export class RawSocket implements Disposable {
  readonly #connection: Deno.Conn;
  #bytes: Uint8Array = new Uint8Array();

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /**
   * Opens a socket by a handshake of its own.
   *
   * @param first Frames to send together with the handshake.
   */
  static async open(
    port: number,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    first: Uint8Array = new Uint8Array(),
  ): Promise<RawSocket> {
    const socket = new RawSocket(
      await Deno.connect({ hostname: "127.0.0.1", port }),
    );
    const request = new TextEncoder().encode(handshake(path, headers));
    await socket.write(joined(request, first));
    const head = await socket.#readHead();
    if (!head.startsWith("HTTP/1.1 101 ")) {
      socket[Symbol.dispose]();
      throw new Error(head);
    }
    return socket;
  }

  async write(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      rest = rest.subarray(await this.#connection.write(rest));
    }
  }

  /** The next frame; `undefined` at the end of the connection. */
  async read(): Promise<Frame | undefined> {
    if (!await this.#fill(2)) return undefined;
    const short = this.#bytes[1]! & 127;
    const headSize = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (!await this.#fill(headSize)) return undefined;
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset);
    const size = short === 127
      ? Number(view.getBigUint64(2))
      : short === 126
      ? view.getUint16(2)
      : short;
    if (!await this.#fill(headSize + size)) return undefined;
    const opcode = this.#bytes[0]! & 15;
    const payload = this.#bytes.slice(headSize, headSize + size);
    this.#bytes = this.#bytes.slice(headSize + size);
    return { opcode, payload };
  }

  /** The next frame as a string: `text hello`, `close 1008 No`, or `cut` at the end. */
  async spell(): Promise<string> {
    const next = await this.read();
    if (next === undefined) return "cut";
    const { opcode, payload } = next;
    const name = Object.keys(OPCODE).find((key) =>
      OPCODE[key as keyof typeof OPCODE] === opcode
    );
    const decoder = new TextDecoder();
    if (opcode !== OPCODE.close) return `${name} ${decoder.decode(payload)}`;
    if (payload.length < 2) return "close";
    const code = (payload[0]! << 8) + payload[1]!;
    return `close ${code} ${decoder.decode(payload.slice(2))}`.trim();
  }

  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch {
      // It was closed before.
    }
  }

  async #readHead(): Promise<string> {
    const decoder = new TextDecoder();
    for (let size = 1;; size++) {
      if (!await this.#fill(size)) return decoder.decode(this.#bytes);
      const text = decoder.decode(this.#bytes);
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) continue;
      this.#bytes = this.#bytes.slice(end + 4);
      return text.slice(0, end);
    }
  }

  /** Reads until `size` bytes have arrived; `false` if the connection ends before. */
  async #fill(size: number): Promise<boolean> {
    const buffer = new Uint8Array(64 * 1024);
    while (this.#bytes.length < size) {
      const read = await this.#connection.read(buffer).catch(() => null);
      if (read === null) return false;
      const joined = new Uint8Array(this.#bytes.length + read);
      joined.set(this.#bytes);
      joined.set(buffer.subarray(0, read), this.#bytes.length);
      this.#bytes = joined;
    }
    return true;
  }
}

/** The request of a handshake, without headers whose value is `""`. */
export function handshake(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const all = {
    host: "localhost",
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === "" ? [] : [`${name}: ${value}`]
  );
  return [`GET ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}
