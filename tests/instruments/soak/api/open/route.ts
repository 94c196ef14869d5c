import { open } from "../../live.ts";

export const GET = (): Response => Response.json(open);
