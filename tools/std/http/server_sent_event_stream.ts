import * as http from "npm:deno-std@1.2.0/http/server_sent_event_stream.js";

export interface ServerSentEventMessage {
  comment?: string;
  event?: string;
  data?: string;
  id?: string | number;
  retry?: number;
}

export const ServerSentEventStream: new () => TransformStream<
  ServerSentEventMessage,
  Uint8Array<ArrayBuffer>
> = http.ServerSentEventStream;
