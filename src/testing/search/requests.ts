import { mediaType } from "../../core/common/media_type.ts";
import { cookiesIn } from "../../shared/wire.ts";
import { refusedHeaders, VERSION } from "../generate/input.ts";
import type { Identity } from "../identity.ts";
import { isLive, operationAt } from "../operation.ts";
import type { Patience } from "../patience.ts";
import type { RequestPlan } from "../plan.ts";
import type { Exchange } from "../send/exchange.ts";
import { idIn, returnedBy, withNames } from "./links.ts";
import { Results, Times } from "./results.ts";
import type { Subject } from "./subject.ts";

/** Sends the requests of a run, and keeps them until the next reset. */
export class Requests {
  readonly subject: Subject;
  readonly results: Results = new Results();
  readonly times: Times = new Times();
  /** Every request since the last reset. */
  history: RequestPlan[] = [];
  /** The identifiers of recreated resources, by their old identifiers. */
  renamed: Map<string, string> = new Map();

  constructor(subject: Subject) {
    this.subject = subject;
  }

  async reset(renamed?: ReadonlyMap<string, string>): Promise<void> {
    const { target, identities } = this.subject;
    if (await this.times.reset(() => target.reset())) {
      this.times.resets++;
      for (const identity of identities.values()) identity.logOut();
    }
    this.history = [];
    this.renamed = new Map(renamed);
  }

  protected async logIn(identity: Identity): Promise<void> {
    await this.times.reset(() => identity.logIn(this.subject.target));
  }

  /** Sends a request with the headers of its identity; see {@linkcode Target.send}. */
  async send(given: RequestPlan, patience?: Patience): Promise<Exchange> {
    const { target, identities, operations } = this.subject;
    const renamed = withNames(given, this.renamed);
    const identity = identities.get(given.as!);
    if (identity !== undefined) await this.logIn(identity);
    const as = identity?.headers ?? {};
    // A schema of headers may generate credentials as well.
    const own = Object.entries(renamed.headers).filter(([name]) =>
      as[name] === undefined || name === "content-type"
    );
    const { cookies: _, ...others } = renamed;
    const plan = await this.#withVersion({
      ...others,
      headers: Object.fromEntries(own),
      ...withoutCookies(renamed, as.cookie),
    });
    const { history } = this;
    const index = history.push(plan) - 1;
    const headers = { ...as, ...plan.headers };
    const exchange = await target.send({ ...plan, headers }, patience);
    const escapes = exchange.errors.filter(({ kind }) => kind === "escaped");
    this.results.escapes.push(...escapes);
    const returned = returnedBy(exchange, target.origin);
    history[index] = { ...plan, returned };
    for (const [pointer, text] of Object.entries(plan.returned ?? {})) {
      const id = idIn(pointer, text);
      const now = idIn(pointer, returned[pointer] ?? text);
      if (now === id) continue;
      for (const [old, name] of [...this.renamed, [id, id] as const]) {
        if (name === id) this.renamed.set(old, now);
      }
    }
    const { types } = this.results.of(operationAt(operations, plan));
    const type = mediaType(exchange.headers.get("content-type"));
    const sent = mediaType(plan.headers["content-type"] ?? null);
    types.add(`${exchange.status} ${type}`).add(`body ${sent}`);
    return { ...exchange, plan };
  }

  /**
   * Replaces `If-Match` with the version that the user of a request reads, or otherwise
   * another user, if the schema accepts the version.
   */
  async #withVersion(plan: RequestPlan): Promise<RequestPlan> {
    const { operations, users } = this.subject;
    const { target, hasVersion, ...named } = plan;
    const reader = operationAt(operations, { ...plan, method: "GET" });
    const isHead = plan.method === "HEAD";
    const operation = isHead ? reader : operationAt(operations, plan);
    const isReadable = hasVersion && operation && reader && !isLive(reader) &&
      !this.results.silent.has(reader);
    if (!isReadable) return { ...named, target };
    for (const as of new Set([plan.as, ...users.map(({ name }) => name)])) {
      const own = this.subject.identities.get(as!)?.headers ?? {};
      const read = { method: "GET", target, headers: own };
      const exchange = await this.subject.target.send(read);
      const version = exchange.headers.get("etag");
      // A weak version cannot be a precondition.
      if (!version?.startsWith('"')) continue;
      const headers = { ...plan.headers, [VERSION]: version };
      const isOwn = as === plan.as && { hasVersion };
      const sent = { ...named, target, headers, ...isOwn };
      const issues = await refusedHeaders(operation, () => sent);
      if (issues?.length === 0) return sent;
    }
    return { ...named, target };
  }
}

/** The cookies of a plan that the identity does not have, if there are any. */
function withoutCookies(
  { cookies = {} }: RequestPlan,
  header: string | undefined,
): Pick<RequestPlan, "cookies" | "hasCookies"> {
  const known = cookiesIn(header);
  const others = Object.entries(cookies).filter(([name]) => !(name in known));
  return {
    ...(others.length > 0 && { cookies: Object.fromEntries(others) }),
    ...(header !== undefined && { hasCookies: true }),
  };
}
