import type { Operation } from "../operation.ts";
import { isAccepted, rejectionText, untestedReason } from "../report/report.ts";
import type { Search } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";

/** The requests of a property that the application must accept. */
export class Acceptance {
  readonly #accepted = new Set<Operation>();
  readonly #statuses = new Map<Operation, Set<number | undefined>>();

  /** Expects that a request of an operation is accepted. */
  expect(operation: Operation): Set<number | undefined> {
    return this.#statuses.getOrInsertComputed(operation, () => new Set());
  }

  /** @param isShown Whether the response shows what the property tests. */
  add(
    operation: Operation,
    status: number | undefined,
    isShown: boolean = isAccepted(status),
  ): void {
    this.expect(operation).add(status);
    if (isShown) this.#accepted.add(operation);
  }

  /**
   * Notes the operations without an accepted request. If the operation itself had none, it
   * has no runs. The result is `undefined` if the property does not apply.
   */
  resultOf(
    sender: Sender,
    operation: Operation,
    found: Search,
  ): Search | undefined {
    const rejected = this.#statuses.entries()
      .filter(([each]) => !this.#accepted.has(each))
      .map(([each, statuses]) =>
        each === operation
          ? untestedReason(sender, each, statuses)
          : `${each.name} accepted no request: ${rejectionText(statuses)}`
      ).toArray();
    if (rejected.length === 0) {
      return (found.runs || found.note) ? found : undefined;
    }
    const runs = this.#accepted.has(operation) ? found.runs : 0;
    return { ...found, runs, note: found.note ?? rejected.join("; ") };
  }
}
