import type { Input } from "../generate/input.ts";
import type { Operation } from "../operation.ts";
import type { Part, Step } from "../search/life.ts";
import type { Sender } from "../search/sender.ts";
import type { Exchange } from "../send/exchange.ts";
import type { Keeper, KeptValues } from "./kept.ts";
import { createdOf, type Kind, type Resource } from "./resource.ts";
import { type Item, Views } from "./views.ts";

/** An operation that changes a resource, with its input. */
export type Change = readonly [Operation, Input];

/** The resources of one kind, and the observations of all their lives. */
export class Lives {
  readonly sender: Sender;
  readonly kind: Kind;
  readonly views: Views;
  readonly values: KeptValues = new Map();
  /** The number of resources that could be read or changed. */
  followed = 0;
  /** Whether an accepted creation names no created resource, as after 202. */
  isNameless = false;

  constructor(sender: Sender, kind: Kind) {
    this.sender = sender;
    this.kind = kind;
    this.views = new Views(sender, kind.read);
  }
}

/** A resource, and the values with which to create and change it. */
export interface Followed extends Pick<Lives, "kind" | "views" | "sender"> {
  readonly lives: Lives;
  readonly input: Input;
  readonly changes: readonly Change[];
  readonly keeper: Keeper;
  /** The resource, which a change may move. */
  resource: Resource;
  /** An item that was added to a list below the resource. */
  item?: Item;
}

/** A part of the story of a resource; returns `false` if the story ends here. */
export type Chapter = (followed: Followed) => Part<boolean | void>;

/** A step that reads the resource. */
export function reading(
  { kind: { read }, resource }: Followed,
  further: Partial<Step> = {},
): Step {
  return {
    ...{ does: "read", operation: read, of: resource },
    sends: (plan) => ({ ...plan, target: resource.location ?? plan.target }),
    ...further,
  };
}

/** The resource that a request created. */
export function createdNow(
  { sender: { subject }, kind: { create, read }, input }: Followed,
  exchange: Exchange,
): Resource | undefined {
  const { segments } = read.route;
  return createdOf(subject, { create, segments }, exchange, input);
}
