import type { FolderContract } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";

export const contract = {
  response: { 404: Problem },
} satisfies FolderContract;
