import { AsyncLocalStorage } from "node:async_hooks";
import { entryText, watchLog } from "../../core/common/log.ts";
import type {
  Observer,
  RequestHandler,
  SocketEnd,
} from "../../core/request/application.ts";
import type { RequestEntry } from "./entry.ts";
import { Recording, type RecordingOptions } from "./recording.ts";
import { secretNames } from "./secret_names.ts";
import { withSource } from "./stack.ts";

/** The most requests, and the most characters, that are kept. */
const MAX_REQUESTS = 200;
const MAX_SIZE = 16 * 1024 * 1024;

/**
 * The time for which a request that has ended waits, in milliseconds. Under load, newer
 * requests replace most requests before their secrets must be found.
 */
const SEAL_DELAY = 500;

const RECORDING = Symbol("bough recording");

type RecordedRequest = Request & { [RECORDING]?: Recording };

/** Records the last requests to an application. */
export class Recorder implements Observer {
  /** The recordings by id, oldest first. */
  readonly #recordings = new Map<number, Recording>();
  readonly #options: RecordingOptions;
  /**
   * The id of the request that caused the current call. With the recording itself, V8
   * would promote it to the old generation, which doubles the time of a `POST`.
   */
  readonly #current = new AsyncLocalStorage<number>();
  #lastId = 0;
  #version = 0;
  #size = 0;
  /** The timer that seals the requests that have ended. */
  #sealing: ReturnType<typeof setTimeout> | undefined;

  /** @param options The names of further secrets, such as `["licence"]`. */
  constructor(options: { readonly secrets: readonly string[] }) {
    this.#options = {
      isSecret: secretNames(options.secrets),
      onChange: (recording, added) => this.#changed(recording, added),
    };
    watchLog((entry) => {
      const recording = this.#recordings.get(this.#current.getStore() ?? 0);
      recording?.log(entry.level, entryText(entry));
      return true;
    });
  }

  /**
   * Lists the entries that changed after a version, newest first, and the version to pass
   * next time.
   */
  list(
    after = 0,
  ): { readonly version: number; readonly requests: RequestEntry[] } {
    this.#seal();
    const requests = [...this.#recordings.values()].reverse()
      .filter(({ version }) => version > after).map(({ entry }) => entry)
      .filter((entry) => entry !== undefined);
    return { version: this.#version, requests };
  }

  /** Returns an entry, with lines of source around the frames of its error. */
  get(id: number): RequestEntry | undefined {
    this.#seal();
    const entry = this.#recordings.get(id)?.entry;
    return entry?.error === undefined ? entry : {
      ...entry,
      error: withSource(entry.error, Date.parse(entry.time)),
    };
  }

  /** Returns the id of a request that a recorded handler received. */
  idOf(request: Request): number | undefined {
    return (request as RecordedRequest)[RECORDING]?.id;
  }

  /** Wraps the handler of a server to record its requests. */
  record(handler: RequestHandler): RequestHandler {
    return (request, info) => {
      const recording = this.#add(request);
      try {
        const { id } = recording;
        const response = this.#current.run(id, handler, request, info);
        return response instanceof Response
          ? recording.respond(response)
          : response.then(
            (response) => recording.respond(response),
            (error) => recording.fail(error),
          );
      } catch (error) {
        return recording.fail(error);
      }
    };
  }

  readonly failed = (request: Request, thrown: unknown): void => {
    // A thrown response is not an error.
    if (thrown instanceof Response) return;
    (request as RecordedRequest)[RECORDING]?.failed(thrown);
  };

  readonly socketMessage = (
    request: Request,
    from: "client" | "server",
    data: string | ArrayBuffer | ArrayBufferView,
  ): void => {
    (request as RecordedRequest)[RECORDING]?.message(from, data);
  };

  readonly socketEnded = (
    request: Request,
    { by, code, reason }: SocketEnd,
  ): void => {
    (request as RecordedRequest)[RECORDING]?.end({ by, code, reason });
  };

  #add(request: Request): Recording {
    const recording = new Recording(++this.#lastId, request, this.#options);
    (request as RecordedRequest)[RECORDING] = recording;
    this.#recordings.set(recording.id, recording);
    this.#changed(recording, 0);
    return recording;
  }

  #seal(): void {
    for (const recording of [...this.#recordings.values()]) recording.seal();
    // Not before, since each change sets a timer.
    clearTimeout(this.#sealing);
    this.#sealing = undefined;
  }

  /** Notes a change of a recording, and drops others if they take too much memory. */
  #changed(recording: Recording, added: number): void {
    recording.version = ++this.#version;
    if (this.#sealing === undefined) {
      this.#sealing = setTimeout(() => this.#seal(), SEAL_DELAY);
      Deno.unrefTimer(this.#sealing);
    }
    this.#size += added;
    if (recording.isDropped) this.#remove(recording);
    while (
      this.#recordings.size > MAX_REQUESTS || this.#size > MAX_SIZE
    ) this.#remove(this.#oldest());
  }

  /** The oldest request that has ended, if there is one. */
  #oldest(): Recording {
    return this.#recordings.values().find(({ isDone }) => isDone) ??
      this.#recordings.values().next().value!;
  }

  #remove(recording: Recording): void {
    if (!this.#recordings.delete(recording.id)) return;
    this.#size -= recording.size;
    recording.drop();
  }
}
