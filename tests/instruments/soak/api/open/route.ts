import { open } from "../../live.ts";

/** Responds with the number of open streams and sockets. */
export const GET = (): Response => Response.json(open);
