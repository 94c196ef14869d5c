import {
  isInRange,
  isJson,
  isRange,
  kindOfType,
  mediaType,
  MULTIPART,
  specificityOf,
  URLENCODED,
} from "../common/media_type.ts";
import { getOrCompute, isObject } from "../common/values.ts";
import type { ErrorFormat } from "../errors.ts";
import type { Method } from "../methods.ts";
import type { LocatedContract } from "../types/contract.ts";
import type {
  DeclaredContent,
  DeclaredResponse,
  EffectiveSchema,
  Located,
  LocatedSchema,
} from "../types/effective_schema.ts";
import type {
  AnyContent,
  MethodSchema,
  RequestContent,
  ResponseBody,
  ResponseDescription,
  ResponseSchemas,
  StandardSchemaV1,
} from "../types/schema.ts";
import { mixesBranches } from "./sent_members.ts";
import { describedShape, type Shape } from "./shape.ts";
import { shapeOf } from "./sides.ts";
import { mediaTypeOf } from "./ways.ts";

/** The schemas of a method or a contract, each compiled at its first use. */
export class Declaration {
  readonly #schema: MethodSchema;
  #body: RequestBodies | undefined;
  #responses: ReadonlyMap<number, SentResponse> | undefined;

  constructor(schema: MethodSchema) {
    this.#schema = schema;
  }

  /** The bodies of requests; `undefined` if no schema describes them. */
  get body(): RequestBodies | undefined {
    const { body } = this.#schema;
    return this.#body ??= body && requestBodies(body);
  }

  /** The responses by status. */
  get responses(): ReadonlyMap<number, SentResponse> {
    return this.#responses ??= responsesOf(this.#schema);
  }

  /** The schemas of the bodies, headers, events and messages to the client. */
  get sent(): readonly SentSchema[] {
    const { events = {}, socket } = this.#schema;
    const sent = [...this.responses].flatMap(([status, response]) => {
      const { bodies, headers } = response;
      const member = `response[${status}]`;
      return [
        ...bodies.map(({ schema, isJson }) => ({ member, schema, isJson })),
        { member: `${member}.headers`, schema: headers, isJson: false },
      ];
    });
    for (const [name, schema] of Object.entries(events)) {
      const member = `events[${JSON.stringify(name)}]`;
      sent.push({ member, schema, isJson: true });
    }
    sent.push({ member: "socket.send", schema: socket?.send, isJson: true });
    return sent.filter((each): each is SentSchema => each.schema !== undefined);
  }
}

/** The bodies of requests by media type. */
export interface RequestBodies {
  /** The bodies that `content()` declares, or the types of a plain schema. */
  readonly contents: readonly RequestContent[];
  /** Whether `content()` declares them. */
  readonly isTyped: boolean;
  /** Whether the media type of a request varies, so that handlers need to know it. */
  readonly isVaried: boolean;
  /** Finds the content of a media type. */
  readonly find: (media: string) => RequestContent | undefined;
  /** The content of a body without a media type: the first of JSON, or the first. */
  readonly untyped: RequestContent;
}

/** A response of one level, which `respond()` can send. */
export interface SentResponse extends DeclaredResponse {
  readonly bodies: readonly SentBody[];
}

/** A schema of data that a method sends. */
export interface SentSchema {
  /** Its place in the schemas of the method, such as `response[200]`. */
  readonly member: string;
  readonly schema: StandardSchemaV1;
  /** Whether the data is JSON. */
  readonly isJson: boolean;
}

/** The declarations of all schemas: a function of the schemas alone. */
const declarations = new WeakMap<MethodSchema, Declaration>();

/** Returns the only declaration of a method or a contract. */
export function declarationOf(schema: MethodSchema): Declaration {
  return getOrCompute(declarations, schema, () => new Declaration(schema));
}

/** The media types of bodies with a plain schema. */
export const READ_TYPES: readonly string[] = [
  "application/json",
  "*/*+json",
  URLENCODED,
  MULTIPART,
];

function requestBodies(
  body: NonNullable<MethodSchema["body"]>,
): RequestBodies {
  const isTyped = !("~standard" in body);
  const contents: readonly RequestContent[] = isTyped
    ? [body].flat()
    : READ_TYPES.map((mediaType) => ({ mediaType, schema: body }));
  const find = contentFinder(contents);
  return {
    contents,
    isTyped,
    isVaried: Array.isArray(body) || isTyped && isRange(contents[0]!.mediaType),
    find,
    untyped: find("") ?? contents[0]!,
  };
}

/**
 * Creates the function that finds the content of a body by its media type. The most
 * specific of several ranges applies.
 */
export function contentFinder<Item extends { readonly mediaType?: string }>(
  contents: readonly Item[],
): (media: string) => Item | undefined {
  const sorted = contents.flatMap((item) => {
    const { mediaType: range } = item;
    if (range === undefined) return [];
    return [{ item, range, kind: kindOfType(range) }];
  }).sort((a, b) => specificityOf(b.range) - specificityOf(a.range));
  const untyped = contents.find(({ mediaType = "" }) => isJson(mediaType));
  return (media) => {
    if (media === "") return untyped;
    const kind = kindOfType(media);
    return sorted.find((each) =>
      each.kind === kind && isInRange(media, each.range)
    )?.item;
  };
}

/** Whether a value was created by `content()`, in any copy of this package. */
export function isContent(value: unknown): value is AnyContent {
  return isObject(value) && "mediaType" in value && !("~standard" in value);
}

function responsesOf(
  { response }: MethodSchema,
): ReadonlyMap<number, SentResponse> {
  // A schema may be a function, as in ArkType.
  const declared: ResponseSchemas = Object(response);
  const byStatus = "~standard" in declared
    ? { 200: response as StandardSchemaV1 }
    : declared;
  return new Map(
    Object.entries(byStatus)
      .map(([status, each]) => [Number(status), responseOf(each)]),
  );
}

function responseOf(
  response: ResponseBody | ResponseDescription,
): SentResponse {
  const isBody = "~standard" in response || isContent(response) ||
    Array.isArray(response);
  const { body = [], headers, description } = isBody
    ? { body: response as ResponseBody }
    : response as ResponseDescription;
  return { bodies: [body].flat().map(bodyOf), headers, description };
}

/** The bodies, which handlers may declare again in each call of `respond()`. */
const bodies = new WeakMap<object, SentBody>();

function bodyOf(body: StandardSchemaV1 | AnyContent): SentBody {
  return getOrCompute(bodies, body, () => new SentBody(body));
}

/** The form in which a body is sent. */
export interface SentForm {
  /** The media type; `undefined` if the schema has no exact JSON Schema. */
  readonly mediaType: string | undefined;
  /** Whether the value becomes JSON. Otherwise, `Response` receives it unchanged. */
  readonly isJson: boolean;
  /** Declares the members of the JSON. */
  readonly shape?: Shape | undefined;
}

/** The body of a response in one media type. */
export class SentBody implements DeclaredContent {
  readonly schema: StandardSchemaV1 | undefined;
  /** The media type that `content()` declares. */
  readonly #type: string | undefined;
  #form: SentForm | undefined;

  constructor(body: StandardSchemaV1 | AnyContent) {
    [this.schema, this.#type] = isContent(body)
      ? [body.schema, body.mediaType]
      : [body, undefined];
  }

  get isProblem(): boolean {
    return this.schema !== undefined && isProblem(this.schema);
  }

  /** Whether it is JSON, as far as its declaration says without its schema. */
  get isJson(): boolean {
    return isJsonType(this.#type);
  }

  get mediaType(): string | undefined {
    return this.form.mediaType;
  }

  /** Described at the first call, since libraries take long to describe a schema. */
  get form(): SentForm {
    return this.#form ??= formOf(this.schema, this.#type);
  }
}

function formOf(
  schema: StandardSchemaV1 | undefined,
  type = schema && mediaTypeOf(schema),
): SentForm {
  return schema !== undefined && isJsonType(type)
    ? { mediaType: type, isJson: true, shape: shapeOf(schema) }
    : { mediaType: type, isJson: false };
}

/** A schema without a type is of JSON, unless its value is a string. */
function isJsonType(type: string | undefined): boolean {
  return type === undefined || isJson(mediaType(type));
}

/** Whether a schema is `Problem`, of any copy of this package. */
export function isProblem(schema: StandardSchemaV1): boolean {
  return schema["~standard"].vendor === "bough";
}

/** The schemas of JSON by which a method may send more members than intended. */
export function looseSchemas(
  schema: MethodSchema,
): Record<"undescribed" | "mixed", readonly SentSchema[]> {
  const sent = schema.sendUndeclared ? [] : declarationOf(schema).sent
    .filter(({ isJson }) => isJson)
    .map((each) => ({ ...each, shape: describedShape(each.schema) }));
  return {
    // The library describes nothing, so all members are sent.
    undescribed: sent.filter(({ shape }) => shape === undefined),
    mixed: sent.filter(({ shape }) => shape && mixesBranches(shape)),
  };
}

/**
 * Merges the schema of a method with the contracts that cover it, outermost first. The
 * schemas of each part are listed together, and responses are merged by status. For every
 * other member, the innermost declaration applies.
 *
 * @param own The schema of the method; an empty one if no handler responds.
 * @param errors The error format of the operation, which stands for `Problem`.
 */
export function mergeLevels(
  contracts: readonly LocatedContract[],
  own: Located<MethodSchema>,
  errors?: ErrorFormat,
): EffectiveSchema {
  const levels: (Located<MethodSchema> & Pick<LocatedSchema, "paramNames">)[] =
    [
      ...contracts.map(({ contract: value, ...place }) => ({
        value,
        ...place,
      })),
      own,
    ];
  const located = <Name extends keyof MethodSchema>(name: Name) =>
    levels.flatMap(({ value: { [name]: value }, ...place }) =>
      value === undefined ? [] : [{ value: value!, ...place }]
    );
  // A method with events or a socket responds otherwise only with errors.
  const isLive = (own.value.events ?? own.value.socket) !== undefined;
  const response = new Map(
    levels.flatMap(({ value, file }) =>
      [...declarationOf(value).responses]
        .filter(([status]) => !isLive || status >= 400)
        .map(([status, value]) =>
          [status, { value: inFormat(value, errors), file }] as const
        )
    ),
  );
  const body = levels.flatMap(({ value, ...place }) => {
    const { isTyped, contents = [] } = declarationOf(value).body ?? {};
    return isTyped
      ? contents.map(({ schema: value, mediaType }) => (
        { value, mediaType, ...place }
      ))
      : contents.slice(0, 1).map(({ schema: value }) => ({ value, ...place }));
  });
  return {
    parts: {
      params: located("params"),
      query: located("query"),
      headers: located("headers"),
      cookies: located("cookies"),
      body,
    },
    response,
    events: located("events").at(-1),
    socket: located("socket").at(-1),
    security: located("security").at(-1),
    access: located("access").at(-1),
    tags: located("tags").at(-1),
    deprecated: located("deprecated").at(-1),
    mcp: located("mcp").at(-1),
  };
}

/** Returns a response with the error format in place of `Problem`. */
function inFormat(
  response: DeclaredResponse,
  errors: ErrorFormat | undefined,
): DeclaredResponse {
  if (errors === undefined) return response;
  const { contentType: mediaType, schema } = errors;
  return {
    ...response,
    bodies: response.bodies.map((each) =>
      each.isProblem ? { mediaType, schema, isProblem: true } : each
    ),
  };
}

/**
 * Selects the contracts that cover a method. `GET` includes `HEAD`. A method that HTTP
 * does not define is covered only by contracts for all methods.
 *
 * @param contracts The contracts around a route, outermost first.
 * @param method The method; a client may send any string. If it is `undefined`, the
 * function treats it as a method that HTTP does not define.
 */
export function contractsFor(
  contracts: readonly LocatedContract[],
  method: string | undefined,
): readonly LocatedContract[] {
  const name = method === "HEAD" ? "GET" : method;
  return contracts.filter((located) =>
    covers(located, method) && covers(located.contract, name)
  );
}

/** Whether a level without `methods`, or with this method, covers a method. */
export function covers(
  { methods }: { readonly methods?: readonly Method[] },
  method: string | undefined,
): boolean {
  return methods?.some((each) => each === method) ?? true;
}
