import { flagsOf, type Permission } from "../../core/start/permissions.ts";
import { printable } from "../../core/common/log.ts";
import { aligned } from "../../shared/aligned.ts";
import { colored } from "../command.ts";
import type { Use } from "./application.ts";
import { covers, isCached, isIn, isPath } from "./coverage.ts";
import { displayPath } from "./modules.ts";
import { type Entry, isProven, type Need, type Plan } from "./plan.ts";

/** The maximum number of rows of a list without `--verbose`, so that a report fits one screen. */
const ROWS = 12;

/** The value of a permission, with a readable path. */
function shown({ kind, value }: Permission): string | true {
  return value === true || !isPath(kind) ? value : displayPath(value);
}

/** The flag of a permission, with a readable path. */
export function flagOf(permission: Permission): string {
  return flagsOf([{ kind: permission.kind, value: shown(permission) }])[0]!;
}

/** The place that needs a permission: `npm:bank, called in lib/pay.ts:3`. */
function placeOf({ by, dependency }: Pick<Need, "by" | "dependency">): string {
  return dependency === undefined || by === undefined
    ? dependency ?? by ?? "unknown"
    : `${dependency}, called in ${by}`;
}

/** Sentences about missing entries; those of the first set are in all sets. */
export function sentencesOf(plans: readonly Plan[]): string[] {
  return plans.flatMap(({ name, added }, index) =>
    added.filter((entry) => index === 0 || !isIn(plans[0]!.added, entry))
      .map((entry) => {
        const { by, dependency, routes } = entry;
        const reason = by === undefined && dependency === undefined
          ? "Deno does not report which line needs it"
          : `${placeOf(entry)} needs it`;
        const urls = routes.length === 0 ? "" : ` (${routes.join(", ")})`;
        const lack = `the permission set "${name}" lacks ${flagOf(entry)}`;
        return `${lack}: ${reason}${urls}`;
      })
  );
}

/** Formats the plans: new and unused entries, and what Deno says of the sets. */
export function textOf(
  plans: readonly Plan[],
  { uses, isCheck, isPruning, isVerbose }: {
    readonly uses: readonly Use[];
    readonly isCheck: boolean;
    readonly isPruning: boolean;
    readonly isVerbose: boolean;
  },
): string {
  const most = isVerbose ? Infinity : ROWS;
  const row = (each: Entry | Need) => [
    each.kind,
    String(shown(each)),
    placeOf(each),
    each.routes.join(", "),
  ];
  const lists = plans.flatMap((plan, index) => {
    const { name, added, unused, impossible, refused } = plan;
    /** The members of a list that the list of the first set lacks. */
    const own = <Each extends Permission>(
      list: readonly Each[],
      ofFirst: "allow" | "unused" | "refused",
    ) => list.filter((each) => index === 0 || !isIn(plans[0]![ofFirst], each));
    // A check reports missing entries, and the command reports cached files.
    const denied = own(refused, "refused").filter((need) =>
      !isCached(need) &&
      !(isCheck && added.some((entry) => covers(entry, need)))
    );
    return [
      isCheck ? "" : listOf(
        name === undefined ? "needed permissions" : `new in "${name}"`,
        own(added, "allow").map(row),
        most,
      ),
      listOf(
        isPruning
          ? `removed from "${name}"`
          : `no longer used in "${name}"; --prune removes these`,
        own(unused, "unused").map((each) => [each.kind, String(shown(each))]),
        most,
      ),
      ...index > 0 ? [] : [listOf(
        "no set grants these, since Deno requires --allow-all",
        impossible.map(row),
        most,
      )],
      listOf(
        `Deno refuses these under ${titleOf(plan)}`,
        denied.map(row),
        most,
      ),
    ];
  });
  const all = isVerbose
    ? listOf(
      "recorded accesses",
      uses.map((use) => [
        ...row({ ...use, isUse: true }),
        use.isTests ? "tests" : use.subject,
      ]),
      most,
    )
    : "";
  const proofs = plans.map(proofOf);
  return [all, ...lists, proofs.join("\n")]
    .filter((text) => text !== "").join("\n\n");
}

function titleOf({ name }: Plan): string {
  return name === undefined ? "these permissions" : `"${name}"`;
}

/** The answer of Deno itself about a set, for the accesses that the run recorded. */
function proofOf(plan: Plan): string {
  const { granted, impossible, refused } = plan;
  const set = titleOf(plan);
  const count = granted + impossible.length + refused.length;
  return granted === 0
    ? `unproven: the command used no permission of ${set}`
    : isProven(plan)
    ? `proven for the recorded accesses: Deno grants all ${count} under ${set}`
    : `Deno grants ${granted} of the ${count} recorded accesses under ${set}`;
}

function listOf(
  title: string,
  rows: readonly (readonly string[])[],
  most: number,
): string {
  if (rows.length === 0) return "";
  const lines = aligned(
    rows.slice(0, most).map((cells) => cells.map(printable)),
  );
  const rest = rows.length - lines.length;
  return [
    colored("bold", printable(title)),
    ...lines.map((line) => `  ${line}`),
    ...(rest > 0 ? [`  and ${rest} more; --verbose shows all`] : []),
  ].join("\n");
}

/** The JSON of `--json`; the counts of all accesses add up to Deno's questions. */
export function jsonOf(
  plans: readonly Plan[],
  { uses, questions, isRecorded }: {
    readonly uses: readonly Use[];
    readonly questions: number;
    readonly isRecorded: boolean;
  },
): Record<string, unknown> {
  const plain = (each: Permission) => ({ kind: each.kind, value: shown(each) });
  const place = (
    { by, dependency, routes }: Pick<Need, "by" | "dependency" | "routes">,
  ) => ({
    by: by ?? dependency ?? null,
    dependency,
    routes,
  });
  const impossible = plans.flatMap((plan) => plan.impossible);
  return {
    new: plans.flatMap(({ name, added }) =>
      added.map((each) => ({ ...plain(each), ...place(each), set: name }))
    ),
    unused: plans.flatMap(({ name, unused }) =>
      unused.map((each) => ({ ...plain(each), set: name }))
    ),
    sets: Object.fromEntries(
      plans.map(({ name, allow }) => [name ?? "", allow.map(plain)]),
    ),
    accesses: uses.map((use) => ({
      ...plain(use),
      ...place(use),
      count: use.count,
      owner: use.subject !== "use"
        ? use.subject
        : isIn(impossible, use)
        ? "impossible"
        : use.isTests
        ? "tests"
        : "server",
    })),
    questions,
    proven: isRecorded && plans.every(isProven),
  };
}
