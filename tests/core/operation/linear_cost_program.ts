/**
 * Measures the CPU time of all costly inputs in a process of its own, which no other test
 * shares. Prints the number of inputs, their faults, and those of a quadratic reader.
 */
import process from "node:process";
import {
  createApplication,
  type Input,
  inputsOf,
  outcomeOf,
  QUADRATIC,
} from "./costly_inputs.ts";

/**
 * One input is compared with so many parts of its size. Both have equal cost if the cost is
 * linear. Quadratic cost makes the whole input 64 times as costly as its parts.
 */
const PARTS = 64;
const MOST = 8;
/** Garbage collection can raise the cost of single attempts. */
const ATTEMPTS = 10;
const LARGEST_PROBLEM = 64 * 1024;

/** The cost of requests, and the outcome of the last one. */
interface Cost {
  readonly ms: number;
  readonly bytes: number;
  readonly outcome: string;
}

const application = createApplication();
await application.app.start();

async function costOf(
  input: Input,
  size: number,
  count: number,
): Promise<Cost> {
  const requests = Array.from({ length: count }, () => input.create(size));
  let status = 0;
  let text = "";
  let bytes = 0;
  const start = process.cpuUsage();
  for (const request of requests) {
    const response = await application.app.fetch(request);
    status = response.status;
    text = await response.text();
    bytes += text.length;
  }
  const { user, system } = process.cpuUsage(start);
  const outcome = outcomeOf(status, text, size);
  return { ms: (user + system) / 1_000, bytes, outcome };
}

/** @param isControl Whether the input has faults, which one costly attempt may hide. */
async function faultsOf(
  input: Input,
  isControl = false,
): Promise<string[]> {
  const { name, limit, expected } = input;
  let parts: Cost | undefined;
  let whole: Cost | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    parts = least(await costOf(input, limit / PARTS, PARTS), parts);
    whole = least(await costOf(input, limit, 1), whole);
    if (!isControl && whole.ms <= parts.ms * MOST) break;
  }
  const { ms, bytes, outcome } = whole!;
  return [
    outcome !== expected && `it responds "${outcome}", not "${expected}"`,
    parts!.outcome.slice(0, 3) !== expected.slice(0, 3) &&
    `a part responds "${parts!.outcome}", not "${expected}"`,
    ms > parts!.ms * MOST &&
    `it takes ${ms} ms, but its ${PARTS} parts take ${parts!.ms} ms`,
    bytes > parts!.bytes * MOST &&
    `it causes ${bytes} characters, but its parts ${parts!.bytes}`,
    outcome >= "4" && bytes > LARGEST_PROBLEM &&
    `it causes a problem document of ${bytes} characters`,
  ].filter((fault) => fault !== false).map((fault) => `${name}: ${fault}`);
}

function least(cost: Cost, other: Cost = cost): Cost {
  return cost.ms < other.ms ? cost : other;
}

const inputs = await inputsOf(application);
const faults: string[] = [];
for (const input of inputs) faults.push(...await faultsOf(input));
console.log(JSON.stringify({
  count: inputs.length,
  faults,
  quadratic: await faultsOf(QUADRATIC, true),
}));
