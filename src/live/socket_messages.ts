import { declaredJson, type LiveRoute } from "./live_route.ts";
import {
  IssueReport,
  runSchema,
  type SchemaResult,
} from "../core/schema/run_schema.ts";
import { checkJson } from "../core/schema/check_response.ts";
import type {
  StandardSchemaIssue,
  StandardSchemaV1,
} from "../core/types/schema.ts";
import { POLICY, UNSUPPORTED } from "./closing.ts";
import { isThenable } from "../core/common/values.ts";
import type { RawData, RawMessage } from "./socket_types.ts";

/**
 * An error for an invalid message of the client, with the close code and the reason to
 * send.
 */
export class MessageFault extends Error {
  override name = "MessageFault";
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

export interface Message {
  readonly data: RawData;
  /** The JSON to check, including undeclared members. */
  readonly json: string;
}

/**
 * Reads and writes the messages of a route. A direction with a schema uses JSON in text
 * frames; a direction without a schema uses strings and bytes.
 */
export class SocketMessages {
  readonly #receive: StandardSchemaV1 | undefined;
  readonly #send: StandardSchemaV1 | undefined;
  readonly #route: LiveRoute;
  /** Whether messages to the client are checked. */
  readonly isChecked: boolean;

  constructor(route: LiveRoute) {
    const { schema, application } = route;
    this.#receive = schema.socket?.receive;
    this.#send = schema.socket?.send;
    this.#route = route;
    this.isChecked = application.validateResponses !== false &&
      this.#send !== undefined;
  }

  /**
   * Reads a message of the client. Returns a promise only if the schema returns a
   * promise.
   *
   * @throws {MessageFault} If the message is invalid.
   */
  read(message: RawMessage): unknown {
    if (this.#receive === undefined) return message;
    if (typeof message !== "string") {
      throw new MessageFault(
        UNSUPPORTED,
        "Messages must be JSON in text frames",
      );
    }
    const value = parseJson(message);
    const result = runSchema(this.#receive, value, "socket.receive");
    return isThenable(result) ? result.then(outputOf) : outputOf(result);
  }

  /**
   * Writes a message to the client.
   *
   * @throws {TypeError} If the value cannot be a message.
   */
  write(value: unknown): Message {
    if (this.#send !== undefined) {
      const json: string | undefined = JSON.stringify(value);
      if (json === undefined) {
        throw new TypeError(
          `Cannot write ${typeof value} as JSON for the socket`,
        );
      }
      const what = "a message to the client";
      const sent = declaredJson(this.#route, this.#send, { value, json, what });
      return { data: sent.text, json: sent.json };
    }
    const isRaw = typeof value === "string" || value instanceof ArrayBuffer ||
      ArrayBuffer.isView(value);
    if (isRaw) return { data: value as RawData, json: "" };
    const type = value === null ? "null" : typeof value;
    throw new TypeError(
      `Cannot send ${type} over the socket: send a string or bytes, or declare schema.get.socket.send`,
    );
  }

  /** Describes the fault of a message to the client; `""` if the message is valid. */
  async faultOf(json: string): Promise<string> {
    const issues = await checkJson(this.#send!, JSON.parse(json));
    return issues === undefined ? "" : describe(issues);
  }
}

const NOT_JSON = "The message is not valid JSON";

/**
 * Whether the reason of a close says that Bough refused a message: the reason names the
 * invalid part, or invalid JSON.
 */
export function refusesMessage(reason: string): boolean {
  return reason === NOT_JSON || reason.startsWith("#");
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new MessageFault(POLICY, NOT_JSON);
  }
}

function outputOf(result: SchemaResult): unknown {
  if (result.issues === undefined) return result.value;
  throw new MessageFault(POLICY, describe(result.issues));
}

/** Describes the first issue, and counts the other issues. */
function describe(issues: readonly StandardSchemaIssue[]): string {
  const report = new IssueReport();
  report.add("body", issues);
  const [{ pointer, detail } = { pointer: "#", detail: "Invalid" }] =
    report.listed;
  const rest = report.count > 1 ? ` (and ${report.count - 1} more)` : "";
  return `${pointer}: ${detail}${rest}`;
}
