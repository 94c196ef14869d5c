import type { Want } from "../../routes/permission_flags.ts";
import type { Application } from "./application.ts";
import { attribute, type Use } from "./attribution.ts";
import { covers, smallest } from "./coverage.ts";
import { type Row, rowsOf, type Section, sectionsOf } from "./findings.ts";
import type { Access } from "./log.ts";

/** What an application needs, as far as it is known. */
export interface Needs {
  /** What was used, file by file. */
  readonly sections: readonly Section[];
  /** What only tests used. */
  readonly tests: readonly Row[];
  /** What was used. */
  readonly uses: readonly Use[];
  /** What is known without a run: what is declared, and what imports need. */
  readonly known: readonly Want[];
  /** All of it. */
  readonly needed: readonly Want[];
  /** What the permission set allows, and nothing needs. */
  readonly unused: readonly Want[];
  /** What the set is to allow. */
  readonly allowed: readonly Want[];
}

/**
 * Sums up what an application needs.
 *
 * @param accesses What it asked for.
 * @param further Where it listens, what the set allows so far, what stands for values that
 *   differ from run to run, whether to remove from the set what nothing needs, and whether
 *   that is known from a run.
 */
export function needsOf(
  application: Application,
  accesses: readonly Access[],
  { listening, before, widened, isPruning, isComplete }: {
    readonly listening: readonly Want[];
    readonly before: readonly Want[];
    readonly widened: readonly Want[];
    readonly isPruning: boolean;
    readonly isComplete: boolean;
  },
): Needs {
  const { files, option, declared, start, imports } = application;
  const widest = accesses.map((access) => {
    const { value } = widened.find((want) => covers(want, access)) ?? access;
    return { ...access, value };
  });
  const attribution = attribute(widest, {
    ...application,
    routes: files.map(({ url }) => url),
  });
  const sections = sectionsOf({
    ...application,
    option: [...option, ...listening],
    declared: [...declared, ...listening],
  }, attribution);
  const { byFile, shared } = attribution;
  const uses = [...byFile.values(), shared, attribution.implied].flat();
  const kept = [...start, ...declared, ...listening];
  const isUsed = (want: Want) =>
    [...kept, ...imports, ...uses].some((each) => covers(want, each));
  // A run that asked for nothing says nothing on what is used.
  const stays = isComplete && accesses.length > 0
    ? before.filter(isUsed)
    : before;
  return {
    sections,
    tests: rowsOf(attribution.tests),
    uses,
    known: [...kept, ...imports, ...attribution.implied],
    needed: smallest([...imports, ...uses], [...kept, ...stays]),
    unused: before.filter((want) => !stays.includes(want)),
    allowed: smallest(
      [
        ...imports,
        ...uses.filter(({ lackingRun }) => lackingRun > 0),
      ],
      [...kept, ...(isPruning ? stays : before)],
    ),
  };
}
