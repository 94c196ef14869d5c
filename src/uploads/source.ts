import type { inflate } from "../core/request/inflate.ts";
import { bodyType, codingOf } from "../core/request/body.ts";
import { brokenOff, type Bytes } from "../core/request/content.ts";
import { withDeadline } from "../core/common/deadline.ts";
import { HttpError, type InvalidRequest } from "../core/errors.ts";
import { ownError, tooLarge } from "../core/own_errors.ts";
import { endReading, recordOf } from "../core/request/record.ts";
import { IssueReport } from "../core/schema/run_schema.ts";
import type { FrameworkRequest, Handler } from "../core/types/request.ts";
import type { StandardSchemaIssue } from "../core/types/schema.ts";
import { type DeclaredDigest, digestsOf } from "./content_digest.ts";

/** The limits of a body that is read while it arrives. */
export interface SourceLimits {
  /** The size of the largest body, in bytes. */
  readonly limit: number;
  /** The longest time without a byte, in milliseconds. */
  readonly pause: number;
}

/** Reads the next bytes of a body; `undefined` at its end. */
export type ReadBytes = () => Promise<Bytes | undefined>;

/** The limits of reading the rest of a body: bytes, and milliseconds. */
const REST = { size: 1024 * 1024, time: 1_000 };

/** The bytes of a body as sent, within the limits. */
class BodySource {
  readonly #request: Request;
  readonly #reader: ReadableStreamDefaultReader<Bytes>;
  readonly #limits: SourceLimits;
  readonly #digests: readonly DeclaredDigest[];
  #size = 0;
  #isOver = false;

  constructor(request: Request, limits: SourceLimits) {
    if (request.bodyUsed || request.body?.locked) {
      throw new TypeError(
        "Cannot stream the body: middleware has read request.body; use a reader, such as request.bytes(), or read only in the handler",
      );
    }
    this.#request = request;
    this.#reader = (request.body ?? ReadableStream.from<Bytes>([])).getReader();
    this.#limits = limits;
    this.#digests = digestsOf(request.headers.get("content-digest") ?? "");
  }

  async read(): Promise<Bytes | undefined> {
    const { limit, pause } = this.#limits;
    let value;
    try {
      ({ value } = await withDeadline(this.#reader.read(), pause, () => {
        this.#cancel();
        const detail = `No byte arrived for ${pause / 1000} seconds`;
        return ownError("RequestTimeout", detail);
      }));
    } catch (error) {
      throw error instanceof HttpError
        ? error
        : brokenOff(this.#request, error);
    }
    // The request has ended meanwhile.
    if (this.#isOver) throw brokenOff(this.#request);
    if (value === undefined) {
      this.#isOver = true;
      endReading(this.#request);
      const wrong = this.#digests.find(({ matches }) => !matches());
      if (wrong === undefined) return undefined;
      const { algorithm } = wrong;
      const message = `The body does not have the declared ${algorithm} digest`;
      throw invalid({ message });
    }
    // Deno's stream of an empty body has an empty chunk.
    if (value.length === 0) return this.read();
    this.#size += value.length;
    if (this.#size > limit) throw tooLarge("The body", limit);
    for (const { hash } of this.#digests) hash.update(value);
    return value;
  }

  /**
   * Ends the reading. Reads on for a short time, since many clients read the response
   * only after they have sent the body. Deno alone would read on to the end, such as
   * for the two gigabytes of a refused video.
   */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const timer = setTimeout(() => this.#cancel(), REST.time);
    try {
      for (let rest = REST.size; rest > 0;) {
        const { value } = await this.#reader.read();
        if (value === undefined) break;
        rest -= value.length;
      }
    } catch {
      // The client has disconnected.
    } finally {
      clearTimeout(timer);
      this.#cancel();
    }
  }

  #cancel(): void {
    this.#isOver = true;
    this.#reader.cancel().catch(() => {});
  }
}

/**
 * Wraps a handler: opens the body before the handler runs, and ends it afterwards. The
 * number is the limit of buffered bodies, in bytes.
 *
 * @param open Reads the beginning of a body, and returns the value of `validated.body`.
 */
export function streamTo(
  handler: Handler,
  open: (
    request: FrameworkRequest,
    read: ReadBytes,
    bodyLimit: number,
  ) => Promise<unknown>,
  limitsOf: (bodyLimit: number) => SourceLimits,
): Handler {
  return async (request) => {
    const { rules } = recordOf(request)!.body!;
    const limits = limitsOf(rules.limit);
    const source = new BodySource(request, limits);
    let read: ReadBytes = () => source.read();
    let inflating: ReturnType<typeof inflate> | undefined;
    try {
      const error = rules.refuse(request, bodyType(request));
      if (error !== undefined) throw error;
      const length = Number(request.headers.get("content-length"));
      if (length > limits.limit) throw tooLarge("The body", limits.limit);
      const coding = codingOf(request);
      if (coding instanceof HttpError) throw coding;
      if (coding !== undefined) {
        const { inflate } = await import("../core/request/inflate.ts");
        const { limit } = limits;
        inflating = inflate(read, { coding, limit });
        read = readerOf(inflating, request);
      }
      const body = await withDeadline(
        open(request, read, rules.limit),
        rules.timeout,
        () => ownError("RequestTimeout", "The fields took too long to arrive"),
      );
      request.validated = { ...request.validated, body };
      return await handler(request);
    } finally {
      void source.end();
      // Releases the memory of the decompression.
      void inflating?.return();
    }
  };
}

function readerOf(
  inflating: ReturnType<typeof inflate>,
  request: Request,
): ReadBytes {
  return async () => {
    let value;
    try {
      ({ value } = await inflating.next());
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw invalid({ message: error.message });
    }
    // The request has ended meanwhile.
    if (value === undefined) throw brokenOff(request);
    return value === true ? undefined : value;
  };
}

/** A stream of the bytes that a function reads; `undefined` ends the stream. */
export function streamOf(read: ReadBytes): ReadableStream<Bytes> {
  return new ReadableStream({
    async pull(controller) {
      const chunk = await read();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  }, { highWaterMark: 0 });
}

/** The error for issues of a body. */
export function invalid(
  ...issues: readonly StandardSchemaIssue[]
): InvalidRequest {
  const report = new IssueReport();
  report.add("body", issues);
  return report.error();
}
