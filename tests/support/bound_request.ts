import { OpenConnections } from "../../src/core/request/connections.ts";
import { bindRequest } from "../../src/core/request/record.ts";
import type { Application } from "../../src/core/request/application.ts";
import { mergeLevels } from "../../src/core/schema/declaration.ts";
import type { FrameworkRequest } from "../../src/core/types/request.ts";
import type { MethodSchema } from "../../src/core/types/schema.ts";

/** A request as the handler of a route gets it, of which only some members matter. */
export function boundRequest(
  { schema = {}, ...application }: Partial<Application> & {
    readonly schema?: MethodSchema;
  } = {},
): FrameworkRequest {
  const request = new Request("http://localhost/");
  const bodyRules = {
    limit: Infinity,
    timeout: Infinity,
    refuse: () => undefined,
  };
  const file = "api/route.ts";
  const record = bindRequest(
    request,
    { params: {}, wildcardParams: undefined },
    {
      operation: {
        pattern: "/",
        file,
        handler: () => new Response(),
        schema,
        effective: mergeLevels([], { value: schema, file }),
        middleware: [],
        security: undefined,
        errors: undefined,
        bodyRules,
        invalidParams: 400,
        application: {
          connections: new OpenConnections(),
          isTrusted: () => false,
          validateResponses: false,
          sendUndeclared: false,
          readPath: undefined,
          onError: undefined,
          errors: undefined,
          checkResponses: undefined,
          observer: {},
          allowedHosts: undefined,
          middleware: [],
          bodyRules,
          invalidParams: 400,
          onNotFound: undefined,
          ...application,
        },
      },
      info: undefined,
    },
  );
  record.isHandled = true;
  return request as FrameworkRequest;
}
