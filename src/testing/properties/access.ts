import fc from "fast-check";
import { needsCredentials } from "../../core/start/modules.ts";
import { accessText } from "../../shared/document/operation.ts";
import { Planned } from "../generate/planned.ts";
import { isWithin } from "../generate/pool.ts";
import { accessOf, type Operation } from "../operation.ts";
import { tell } from "../search/life.ts";
import { inTurn, type Search, withInputs } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { Acceptance } from "./acceptance.ts";
import { type Attempt, hasRule, isForeign } from "./access_rules.ts";
import { changeOfRole, type Shown, visit } from "./access_story.ts";
import { assignmentProperty } from "./assignment.ts";
import {
  type CreatedPlace,
  creationsOf,
  creatorOf,
  placesOf,
  type User,
} from "./creation.ts";
import { missingOf } from "./live.ts";

/** The number of values to try as each user. */
const RUNS = 3;

/**
 * Tests that users reach what another user created, and operations of roles, only as
 * `access` declares, and that bodies set only the members that they declare.
 */
export async function accessProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const { users } = sender.subject;
  const assigned = await assignmentProperty(sender, operation);
  if (assigned?.counterexample !== undefined || users.length < 2) {
    return assigned;
  }
  const acceptance = new Acceptance();
  const shown: Shown = {};
  const found = await withInputs(sender, operation, async (inputs) => {
    const [created, attempts] = attemptsOf(sender, operation);
    const creations = await creationsOf(sender, created);
    const parents = await creationsOf(sender, created.slice(0, -1));
    if (creations === undefined || parents === undefined) return { runs: 0 };
    // A rule needs more runs, since its members have several values.
    const runs = hasRule(operation) ? 2 * RUNS : RUNS;
    const foreign = users.filter(({ name }) => isForeign(operation, name));
    return await inTurn([
      ...attempts.map((each) => () =>
        tell(sender, {
          ...{ runs, acceptance },
          values: fc.tuple(inputs, creations, parents, actsAtLast()),
          steps: (value, life) => visit({ ...each, life, shown }, value),
        })
      ),
      ...foreign.map(({ name: user }) => () =>
        tell(sender, {
          ...{ values: inputs, runs: 1, acceptance },
          steps: (input, life) =>
            changeOfRole({ life, operation, user }, input),
        })
      ),
    ]);
  });
  const result = acceptance.resultOf(sender, operation, found) ?? found;
  const note = noteOf(sender, operation, { ...shown, runs: found.runs });
  return { ...result, note: result.note ?? note };
}

/** Whether actions precede an attempt; a shrunk attempt keeps its choice. */
function actsAtLast(): fc.Arbitrary<boolean> {
  const planned = Array.from({ length: RUNS }, (_, run) => run === RUNS - 1);
  return new Planned(planned, fc.boolean());
}

/** The places of the created resources, and the attempts of all users to reach the last one. */
function attemptsOf(
  sender: Sender,
  operation: Operation,
): [CreatedPlace[], Attempt[]] {
  const { subject } = sender;
  const { method, route: { segments } } = operation;
  const places = placesOf(sender, segments);
  const listed = method === "GET" && places.length === 0
    ? subject.places.find(({ create, segments: path }) =>
      create !== undefined &&
      isWithin({ segments }, { segments: path.slice(0, -1) })
    )
    : undefined;
  const created = listed ? placesOf(sender, listed.segments) : places;
  const access = accessOf(operation);
  const creator = creatorOf(created);
  const since = `since the access is ${access?.map(accessText).join(" or ")}`;
  const users = subject.users.map(({ name }): User => name);
  const others = users.filter((user) => places.length > 1 && user !== creator);
  // The owner of a note may well read all of its files.
  const owners = method === "GET" ? [] : others;
  return [
    created,
    [
      ...(access ? [...users, undefined] : users).map((user) => ({ user })),
      // `/notes/[id]/files/[fileId]` may name the note of one user and the file of another,
      // and users may add files to the notes of others.
      ...others.map((user) => ({ user, owns: "path" as const })),
      ...owners.map((user) => ({ user, owns: "parents" as const })),
    ].map((each) => ({
      ...{ operation, access, creator, place: places.at(-1), listed, since },
      ...each,
      named: each.user === undefined ? "anonymous requests" : `"${each.user}"`,
    })),
  ];
}

function noteOf(
  { subject }: Sender,
  { method, schema: { security, socket } }: Operation,
  { reached, isRead, runs }: Shown & Pick<Search, "runs">,
): string | undefined {
  const closed = socket && missingOf(subject);
  // A `GET` that allows anonymous requests already declares that it is public.
  const isOpen = method === "GET" && security !== undefined &&
    !needsCredentials(security.value);
  return runs === 0
    ? "not tested: no resource was created"
    : closed !== undefined
    ? `no socket was opened: ${closed}`
    : isRead === false
    ? "rules of access were not tested: no identity can read their resource with GET"
    : reached === undefined || isOpen
    ? undefined
    : `"${reached}" succeeds as well; declare access, such as "owner" or "shared"`;
}
