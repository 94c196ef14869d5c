import * as http from "npm:deno-std@1.2.0/http/negotiation.js";

export const acceptsEncodings: (
  request: Pick<Request, "headers">,
  ...encodings: string[]
) => string | undefined = http.acceptsEncodings;
