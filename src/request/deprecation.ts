import { type Place, recordOf } from "../record/record.ts";
import type { Match } from "../routing/tree.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { FrameworkRequest } from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";
import { Endpoint } from "./endpoint.ts";

/**
 * An endpoint that adds headers to the responses of a deprecated operation, including
 * errors. It also serves all operations of a route before a lazy import, which shows
 * which of them are deprecated.
 */
export class DeprecatedEndpoint extends Endpoint {
  override async respond(
    request: Request,
    match: Match,
    info: unknown,
  ): Promise<Response> {
    const response = await super.respond(request, match, info);
    const { application, deprecation } = recordOf(request)!.place!;
    if (deprecation === undefined) return response;
    application.tracer?.traceDeprecated();
    if (response.status === 101) return response;
    // Copied, since a handler may return one response without a body to many requests.
    const copy = new Response(response.body, response);
    const { params, wildcardParams } = request as FrameworkRequest;
    for (const [name, value] of deprecation) {
      const filled = value.replaceAll(/\[([^\]]+)\]/g, (all, param) => {
        const values = param === "..."
          ? wildcardParams
          : [params[param] ?? all];
        return values?.map(encodeURIComponent).join("/") ?? all;
      });
      if (name !== "link") copy.headers.delete(name);
      copy.headers.append(name, filled);
    }
    return copy;
  }
}

/**
 * The headers of a method, as the innermost level declares them; `undefined` if the
 * method is not deprecated.
 */
export function deprecationHeaders(
  contracts: readonly LocatedContract[],
  own: MethodSchema = {},
): Place["deprecation"] {
  const deprecated = [...contracts.map(({ contract }) => contract), own]
    .findLast((level) => level.deprecated !== undefined)?.deprecated;
  if (!deprecated) return undefined;
  const { since, sunset, use, why } = Object(deprecated);
  const page = /^https?:\/\/[!#-;=?-~]+$/.test(why) ? why : undefined;
  return [
    ["deprecation", since && `@${Math.floor(Date.parse(since) / 1000)}`],
    ["sunset", sunset && new Date(sunset).toUTCString()],
    ["link", use && `<${use}>; rel="successor-version"`],
    ["link", page && `<${page}>; rel="deprecation"`],
  ].filter((header): header is [string, string] => header[1] !== undefined);
}
