import type {
  FolderContract,
  PlacedContract,
} from "../http/validation/contract.ts";
import type { MethodSchema } from "../http/validation/schema.ts";
import type { Report } from "./route_error.ts";
import { isStandardSchema } from "./response_export.ts";
import { checkMembers } from "./schema_members.ts";

const KNOWN: readonly (keyof FolderContract)[] = [
  "params",
  "query",
  "headers",
  "response",
  "tags",
  "deprecated",
  "security",
];

/**
 * Checks the `contract` export of a middleware file.
 *
 * @param report Receives what is wrong.
 */
export function checkContract(
  contract: unknown,
  report: Report,
): FolderContract | undefined {
  if (contract === undefined) return undefined;
  const checked = {
    where: "contract",
    kind: "contract",
    known: KNOWN,
  } as const;
  checkMembers(contract, checked, report);
  const { response } = Object(contract);
  if (response !== undefined && isStandardSchema(response)) {
    report(
      "contract.response is a schema; a folder has no response of its own: give it by status, such as { 401: Problem }",
    );
  }
  return contract as FolderContract;
}

/**
 * Reports security that lets in everybody below a folder whose guard does not. The
 * guard decides, whatever is documented.
 *
 * @param where Where it stands: `schema.get`.
 * @param options The contracts of the folders around it; and who hears of it.
 */
export function reportOptOut(
  where: string,
  { security }: Pick<MethodSchema, "security">,
  { contracts, report }: {
    readonly contracts: readonly PlacedContract[];
    readonly report: Report;
  },
): void {
  if (security === undefined || needsCredentials(security)) return;
  const guard = contracts.findLast(({ contract }) =>
    needsCredentials(contract.security)
  );
  if (guard === undefined) return;
  report(
    `${where}.security lets everybody in, but "${guard.file}" guards this folder; move the file out of it, or drop ${where}.security`,
  );
}

/** Whether a request needs credentials: `{}` stands for a way without any. */
export function needsCredentials(
  security: MethodSchema["security"] = [],
): boolean {
  return security.length > 0 &&
    security.every((requirement) => Object.keys(requirement).length > 0);
}
