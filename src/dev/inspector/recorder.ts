import { AsyncLocalStorage } from "node:async_hooks";
import type {
  Observer,
  RequestHandler,
  SocketEnd,
} from "../../core/request/application.ts";
import { Entries, type EntryFilter } from "./entries.ts";
import type { RequestEntry } from "./entry.ts";
import { Exchange } from "./exchange.ts";
import { watchOutput } from "./output.ts";
import type { Recording, RecordingOptions } from "./recording.ts";
import { secretNames } from "./secret_names.ts";
import { withSource } from "./stack.ts";

const RECORDING = Symbol("bough recording");

type RecordedRequest = Request & { [RECORDING]?: Recording };

/** The recorders of the process, which share one patch of `console`. */
const recorders: Recorder[] = [];

/** Records the requests to an application. */
export class Recorder implements Observer {
  readonly #entries = new Entries();
  readonly #options: RecordingOptions;
  /**
   * The id of the request that caused the current call. With the recording itself, V8
   * would promote it to the old generation, which doubles the time of a `POST`.
   */
  readonly #current = new AsyncLocalStorage<number>();
  #lastId = 0;

  /** @param options The names of further secrets, such as `["licence"]`. */
  constructor(options: { readonly secrets: readonly string[] }) {
    this.#options = {
      isSecret: secretNames(options.secrets),
      onChange: (recording, added) => this.#entries.changed(recording, added),
    };
  }

  list(filter?: EntryFilter): ReturnType<Entries["list"]> {
    return this.#entries.list(filter);
  }

  /** Returns an entry, with lines of source around the frames of its error. */
  get(id: number): RequestEntry | undefined {
    const entry = this.#entries.find(id)?.entry;
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
    this.#watchLogs();
    return (request, info) => {
      const id = ++this.#lastId;
      const exchange = new Exchange(request, id, this.#options);
      (request as RecordedRequest)[RECORDING] = exchange.recording;
      this.#entries.add(exchange.recording);
      try {
        const response = this.#current.run(id, handler, request, info);
        return response instanceof Response
          ? exchange.respond(response)
          : response.then(
            (response) => exchange.respond(response),
            (error) => exchange.fail(error),
          );
      } catch (error) {
        return exchange.fail(error);
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
    const text = typeof data === "string" ? data : `${data.byteLength} bytes`;
    (request as RecordedRequest)[RECORDING]?.message(from, text);
  };

  readonly socketEnded = (
    request: Request,
    { by, code, reason }: SocketEnd,
  ): void => {
    (request as RecordedRequest)[RECORDING]?.end({ by, code, reason });
  };

  #watchLogs(): void {
    if (recorders.includes(this)) return;
    recorders.push(this);
    if (recorders.length > 1) return;
    watchOutput(
      () => recorders.some((recorder) => recorder.#caller !== undefined),
      (level, text) => {
        for (const recorder of recorders) recorder.#caller?.log(level, text);
      },
    );
  }

  /** The recording of the request that caused the current call. */
  get #caller(): Recording | undefined {
    const id = this.#current.getStore();
    return id === undefined ? undefined : this.#entries.find(id);
  }
}
