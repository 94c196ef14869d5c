import type { FolderContract, Middleware } from "@bough/framework";
import { userOfToken } from "@/auth.ts";
import { Failure, unauthorized } from "@/errors.ts";
import { viewer } from "@/store/database.ts";

export const contract = {
  security: [{ Token: [] }],
  access: "shared",
  response: { 401: Failure },
} satisfies FolderContract;

/** A token may be missing if the operation allows it, but never invalid. */
const authenticate: Middleware = async (request, next) => {
  const header = request.headers.get("authorization");
  if (header !== null) {
    const { db } = viewer.get(request);
    const user = await userOfToken(db, /^Token (.+)$/.exec(header)?.[1] ?? "");
    if (user === undefined) throw unauthorized("The token is invalid");
    viewer.set(request, { db, id: user.id });
  } else if (!request.security?.some((way) => !Object.hasOwn(way, "Token"))) {
    throw unauthorized("The token is missing");
  }
  return next();
};

export default authenticate;
