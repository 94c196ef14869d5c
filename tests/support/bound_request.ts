import { OpenConnections } from "../../src/record/connections.ts";
import {
  type Application,
  bindRequest,
  type Place,
} from "../../src/record/record.ts";
import type { FrameworkRequest } from "../../src/types/request.ts";

/** A request as the handler of a route gets it, of which only some members matter. */
export function boundRequest(
  { schema = {}, ...application }:
    & Partial<Application>
    & Partial<Pick<Place, "schema">> = {},
): FrameworkRequest {
  const request = new Request("http://localhost/");
  const place: Place = {
    pattern: "/",
    file: "api/route.ts",
    security: undefined,
    schema,
    application: {
      connections: new OpenConnections(),
      isTrusted: () => false,
      validateResponses: false,
      onError: undefined,
      errors: undefined,
      checkResponses: undefined,
      timer: undefined,
      tracer: undefined,
      ...application,
    },
  };
  bindRequest(request, { params: {}, wildcardParams: undefined }, {
    place,
    info: undefined,
  });
  return request as FrameworkRequest;
}
