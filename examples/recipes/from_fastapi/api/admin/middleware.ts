import type { FolderContract } from "@bough/framework";
import { requireToken } from "../../require_token.ts";

export const contract = { tags: ["admin"] } satisfies FolderContract;

export default [requireToken] as const;
