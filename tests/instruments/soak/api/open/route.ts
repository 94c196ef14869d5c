import { open } from "../../live.ts";

/** Responds with how many streams and sockets are open. */
export const GET = (): Response => Response.json(open);
