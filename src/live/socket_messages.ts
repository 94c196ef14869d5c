import type { LiveRoute } from "./live_route.ts";
import {
  IssueReport,
  runSchema,
  type SchemaResult,
} from "../schema/run_schema.ts";
import { checkJson } from "../schema/check_response.ts";
import type { StandardSchemaIssue, StandardSchemaV1 } from "../types/schema.ts";
import { POLICY, UNSUPPORTED } from "./closing.ts";
import { isThenable } from "../common/values.ts";
import type { RawData, RawMessage } from "./socket_types.ts";

/** Thrown where a message of the client is refused, with what the client is sent. */
export class MessageFault extends Error {
  override name = "MessageFault";
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

/**
 * The messages of a route, by its schemas. A direction with a schema is JSON in text
 * frames; one without is texts and bytes as they are.
 */
export class SocketMessages {
  readonly #receive: StandardSchemaV1 | undefined;
  readonly #send: StandardSchemaV1 | undefined;
  /** Whether the schema of what is sent has returned a promise, as it will again. */
  #isSlow = false;
  /** Whether what is sent is checked. */
  readonly isChecked: boolean;

  constructor({ schema, validateResponses }: LiveRoute) {
    this.#receive = schema.socket?.receive;
    this.#send = schema.socket?.send;
    this.isChecked = validateResponses !== false && this.#send !== undefined;
  }

  /**
   * Reads a message of the client. It returns a promise only if the schema does.
   *
   * @throws {MessageFault} If it does not fit.
   */
  read(message: RawMessage): unknown {
    if (this.#receive === undefined) return message;
    if (typeof message !== "string") {
      throw new MessageFault(UNSUPPORTED, "Messages are JSON, as text");
    }
    const value = parseJson(message);
    const result = runSchema(this.#receive, value, "socket.receive");
    return isThenable(result) ? result.then(outputOf) : outputOf(result);
  }

  /**
   * Writes a message to the client.
   *
   * @throws {TypeError} If there is no such message.
   */
  write(value: unknown): RawData {
    if (this.#send !== undefined) {
      const text: string | undefined = JSON.stringify(value);
      if (text !== undefined) return text;
      throw new TypeError(
        `Cannot send ${typeof value} over a socket: it has no JSON`,
      );
    }
    const isRaw = typeof value === "string" || value instanceof ArrayBuffer ||
      ArrayBuffer.isView(value);
    if (isRaw) return value as RawData;
    const type = value === null ? "null" : typeof value;
    throw new TypeError(
      `Cannot send ${type} over a socket without a schema: send a text or bytes, or declare schema.get.socket.send`,
    );
  }

  /** Whether a text that is sent fits, as far as that can be told at once. */
  fitsAtOnce(text: string): boolean {
    if (this.#isSlow) return false;
    const result = runSchema(this.#send!, JSON.parse(text), "socket.send");
    if (!isThenable(result)) return result.issues === undefined;
    this.#isSlow = true;
    // The longer way meets the same error, and reports it.
    result.then(undefined, () => {});
    return false;
  }

  /** Says what is wrong with a text that is sent; `""` if it fits. */
  async faultOf(text: string): Promise<string> {
    const issues = await checkJson(this.#send!, JSON.parse(text));
    return issues === undefined ? "" : describe(issues);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MessageFault(POLICY, "The message is not valid JSON");
  }
}

function outputOf(result: SchemaResult): unknown {
  if (result.issues === undefined) return result.value;
  throw new MessageFault(POLICY, describe(result.issues));
}

/** Spells the first issue, and counts the others. */
function describe(issues: readonly StandardSchemaIssue[]): string {
  const report = new IssueReport();
  report.add("body", issues);
  const [{ pointer, detail } = { pointer: "#", detail: "Invalid" }] =
    report.errors;
  const rest = report.count > 1 ? ` (and ${report.count - 1} more)` : "";
  return `${pointer}: ${detail}${rest}`;
}
