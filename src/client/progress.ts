import { sentBodies } from "./create_client.ts";

/** The progress of an upload. */
export interface UploadProgress {
  /** The number of bytes that were sent. */
  readonly sent: number;
  /** The number of bytes of the whole body. */
  readonly total: number;
}

/** The part of `XMLHttpRequest` that this module uses. */
interface Xhr extends EventTarget {
  readonly upload: EventTarget;
  responseType: string;
  readonly response: ArrayBuffer;
  readonly status: number;
  readonly statusText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob | FormData | null): void;
  abort(): void;
}

/**
 * Creates a function like `fetch` that reports the progress of uploads, for the option
 * `fetch` of `createClient()`. It is for browsers: their `fetch` reports no progress, so it
 * sends requests with `XMLHttpRequest`.
 *
 * @param onProgress Called with the progress while a body is sent.
 * @returns The function. Like `fetch`, it rejects with a {@linkcode TypeError} if the
 * server cannot be reached, and with the reason of an aborted signal.
 *
 * @example Usage
 * ```ts ignore
 * import { createClient, fetchWithProgress } from "@bough/framework/client";
 * import type { Routes } from "./api.types.ts";
 *
 * const bar = document.querySelector("progress")!;
 * const api = createClient<Routes>({
 *   fetch: fetchWithProgress(({ sent, total }) => bar.value = sent / total),
 * });
 * const [photo] = document.querySelector("input")!.files!;
 * await api.POST("/photos", { body: { title: "Emma", photo } });
 * ```
 */
export function fetchWithProgress(
  onProgress: (progress: UploadProgress) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { method, url, headers, signal } = request;
    signal.throwIfAborted();
    const body = sentBodies.get(request) ??
      (request.body === null ? null : await request.blob());
    const { XMLHttpRequest } = globalThis as unknown as {
      XMLHttpRequest: new () => Xhr;
    };
    const xhr = new XMLHttpRequest();
    return await new Promise((resolve, reject) => {
      xhr.open(method, url);
      xhr.responseType = "arraybuffer";
      for (const [name, value] of headers) {
        // The browser writes the boundary of a form itself.
        if (name !== "content-type" || !(body instanceof FormData)) {
          xhr.setRequestHeader(name, value);
        }
      }
      xhr.upload.addEventListener("progress", (event) => {
        const { loaded, total } = event as Event & Record<string, number>;
        onProgress({ sent: loaded!, total: total! });
      });
      xhr.addEventListener("load", () => resolve(responseOf(xhr)));
      const fault = `Cannot send ${method} "${url}"; check the connection`;
      xhr.addEventListener("error", () => reject(new TypeError(fault)));
      xhr.addEventListener("abort", () => reject(signal.reason));
      signal.addEventListener("abort", () => xhr.abort());
      xhr.send(body);
    });
  };
}

function responseOf(xhr: Xhr): Response {
  const { status, statusText } = xhr;
  const headers = xhr.getAllResponseHeaders()
    .matchAll(/^([^:\r\n]+):(.*)$/gm)
    .map(([, name, value]): [string, string] => [name!, value!.trim()]);
  // A response with these statuses must have no body.
  const body = [204, 205, 304].includes(status) ? null : xhr.response;
  return new Response(body, { status, statusText, headers: [...headers] });
}
