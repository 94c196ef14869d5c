import { log } from "../../core/common/log.ts";
import { isAbort } from "../../core/common/values.ts";
import { recordOf, workOf } from "../../core/request/record.ts";
import {
  type Draft,
  entryMessage,
  entryOf,
  mayHoldSecrets,
  type RawMessage,
  takeMembers,
} from "./draft.ts";
import type {
  EntryLog,
  EntryMessage,
  EntryText,
  RequestEntry,
} from "./entry.ts";
import { Secrets } from "./redact.ts";
import type { IsSecret } from "./secret_names.ts";
import { entryError } from "./stack.ts";

/** The most messages, and the most logs, that are kept of one request. */
const MAX_TEXTS = 200;

/** The size of an entry without bodies, roughly in bytes. */
const ENTRY_SIZE = 2_000;

/** Who ended a stream or a socket. */
export type End = NonNullable<RequestEntry["ended"]>;

type Changing = { -readonly [Name in keyof RequestEntry]: RequestEntry[Name] };

export interface RecordingOptions {
  readonly isSecret: IsSecret;
  /** Called after each change, with the number of bytes that it added. */
  readonly onChange: (recording: Recording, added: number) => void;
}

/** A request: a draft with its secrets, and later an entry without them. */
export class Recording {
  readonly id: number;
  /** The number of the last change. */
  version = 0;
  /** Whether newer recordings replaced this one, which holds nothing. */
  isDropped = false;
  /** The size in memory, roughly in bytes. */
  size = 0;
  state: RequestEntry["state"] = "running";
  readonly #options: RecordingOptions;
  readonly #start: number;
  /** Absent once there is an entry. */
  #draft: Draft | undefined;
  #entry: Changing | undefined;
  /** Absent once the response has ended. */
  #request: Request | undefined;
  #isDisconnected = false;
  /** Set while a stream or a socket is open. */
  #bodies: Pick<Draft, "request" | "response"> | undefined;
  /** Set while further texts may contain the secrets. */
  #secrets: Secrets | undefined;
  /** Whether a later text revealed that the entry contains a secret. */
  #isStale = false;

  constructor(request: Request, draft: Draft, options: RecordingOptions) {
    this.id = draft.id;
    this.#request = request;
    this.#draft = draft;
    this.#start = draft.start;
    this.#options = options;
  }

  /** The entry; a summary while the request runs. */
  get entry(): RequestEntry {
    const { version, state } = this;
    this.#refresh();
    const entry = state === "running" ? this.#summary() : this.#create();
    return { ...entry, version, state };
  }

  log(level: string, text: string): void {
    this.#change(() => {
      const log: EntryLog = { time: this.#elapsed(), level, text };
      if (this.state === "running") this.#add(this.#draft!.logs, log);
      else this.#append({ logs: [log] });
    });
  }

  message(from: "client" | "server", text: string): void {
    this.#change(() => {
      if (this.state !== "open") return;
      this.#entry!.messageCount++;
      this.#append({ messages: [{ time: this.#elapsed(), from, text }] });
    });
  }

  /** Adds the thrown value that made the request fail. */
  failed(thrown: unknown): void {
    this.#change(() => {
      if (this.state === "running") {
        this.#draft!.thrown = thrown;
        // The first read of a signal makes Deno print a warning.
        this.#isDisconnected ||= isAbort(thrown) &&
          this.#request!.signal.aborted;
      } else if (this.state === "open") {
        this.#set({ ...this.#entry!, error: entryError(thrown) });
      }
    });
  }

  /**
   * Ends the draft.
   *
   * @param isOpen Whether the response is a stream or a socket, which continues.
   */
  respond(status: number, response: RawMessage, isOpen: boolean): void {
    this.#change(() => {
      const draft = this.#draft!;
      takeMembers(draft, this.#request!);
      draft.response = response;
      if (!this.#isDisconnected) draft.status = status;
      this.state = isOpen ? "open" : "done";
      const { isSecret } = this.#options;
      if (isOpen || mayHoldSecrets(draft, isSecret)) {
        this.#draft = undefined;
        this.#secrets = new Secrets(isSecret);
        this.#set(entryOf(draft));
      } else {
        const { kept } = draft.request.body;
        this.#changed(ENTRY_SIZE + kept + response.body.kept);
      }
      if (isOpen) this.#bodies = { request: draft.request, response };
      else this.#release();
    });
  }

  end(ended: End): void {
    this.#change(() => {
      if (this.state !== "open") return;
      const { request, response } = this.#bodies!;
      const entry = this.#entry!;
      const start = entry.duration;
      const duration = this.#elapsed() - start;
      this.state = "done";
      this.#set({
        ...entry,
        request: entryMessage(request),
        response: entryMessage(response!),
        duration: this.#elapsed(),
        steps: [...entry.steps, { name: "response", start, duration }],
        ended,
      });
      this.#release();
    });
  }

  /** Removes the long texts, to save memory. */
  shrink(): void {
    if (this.state === "running") {
      this.#draft!.logs.length = 0;
      return this.#changed(-this.size);
    }
    const { validated: _, ...entry } = this.#create();
    this.#entry = {
      ...entry,
      request: withoutText(entry.request),
      ...(entry.response && { response: withoutText(entry.response) }),
      logs: [],
      messages: [],
    };
    this.#changed(JSON.stringify(this.#entry).length - this.size);
  }

  /** Removes everything, since newer requests replaced this one. */
  drop(): void {
    this.state = "done";
    this.isDropped = true;
    this.#draft = this.#entry = this.#request = undefined;
    this.#bodies = this.#secrets = undefined;
    this.#isStale = false;
  }

  /** Makes a change. If a value throws, drops the recording, not the request. */
  #change(change: () => void): void {
    if (this.isDropped) return;
    try {
      change();
    } catch (error) {
      this.#changed(-this.size);
      this.drop();
      reportOnce(error);
    }
  }

  #elapsed(): number {
    return performance.now() - this.#start;
  }

  /** Returns the entry of a request that has responded. */
  #create(): Changing {
    this.#entry ??= this.#redacted(entryOf(this.#draft!));
    this.#draft = undefined;
    return this.#entry;
  }

  /** Returns a running request without texts, whose secrets the rest may name. */
  #summary(): RequestEntry {
    const { operation } = recordOf(this.#request!) ?? {};
    const entry = entryOf({ ...this.#draft!, operation });
    const { error: _, ...known } = this.#redacted(entry);
    return { ...known, request: { headers: [] }, issues: [], logs: [] };
  }

  /** Hides the secrets in an entry. Nothing leaves the recorder without this. */
  #redacted(
    entry: RequestEntry,
    secrets = this.#secrets ?? new Secrets(this.#options.isSecret),
  ): Changing {
    const redacted = secrets.redact(entry);
    return copyOf({ ...redacted, secrets: secrets.names });
  }

  #set(entry: RequestEntry, secrets?: Secrets): void {
    this.#entry = this.#redacted(entry, secrets);
    this.#isStale = false;
    this.#changed(JSON.stringify(this.#entry).length - this.size);
  }

  #refresh(): void {
    if (this.#isStale) this.#set(this.#entry!);
  }

  #changed(added: number): void {
    this.size += added;
    this.#options.onChange(this, added);
  }

  #append(added: Partial<Pick<RequestEntry, "logs" | "messages">>): void {
    const entry = this.#create();
    // Without their values, the secrets in a late text cannot be found.
    if (this.#secrets === undefined && entry.secrets.length > 0) return;
    const secrets = this.#secrets ?? new Secrets(this.#options.isSecret);
    const { logs = [], messages = [] } = copyOf(secrets.redact(added));
    // The new text may reveal that an earlier text contains a secret. While the values
    // are kept, a stream of tokens would search all texts again for each of them.
    if (secrets.names.length > entry.secrets.length) {
      if (this.#secrets === undefined) this.#set(entry, secrets);
      else this.#isStale = true;
    }
    const changed = this.#create();
    for (const each of logs) this.#add(changed.logs, each);
    for (const each of messages) this.#add(changed.messages, each);
  }

  #add(to: readonly EntryText[], text: EntryText): void {
    const texts = to as EntryText[];
    texts.push(text);
    const dropped = texts.length > MAX_TEXTS ? texts.shift()! : { text: "" };
    this.#changed(text.text.length - dropped.text.length);
  }

  /** Forgets the values of the secrets when no text can follow. */
  async #release(): Promise<void> {
    const request = this.#request!;
    this.#request = this.#bodies = undefined;
    if (this.#secrets === undefined) return;
    await workOf(request);
    this.#refresh();
    this.#secrets = undefined;
  }
}

let isReported = false;

/** Logs an error of the inspector once, since each request may cause it again. */
export function reportOnce(error: unknown): void {
  if (isReported) return;
  isReported = true;
  const message = "the inspector cannot show a request";
  log({ level: "error", message, error });
}

/** Copies JSON. A part of a string would keep the whole, with its secrets, in memory. */
function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

function withoutText({ headers, body }: EntryMessage): EntryMessage {
  if (body === undefined) return { headers };
  const { type, size } = body;
  return { headers, body: { type, size, isCut: size > 0 } };
}
