/** What was published in a topic, and who waits for more of it. */
interface Topic {
  readonly texts: string[];
  readonly waiting: Set<() => void>;
}

const topics = new Map<string, Topic>();

/** Creates a topic, unless there is one of that name. */
export function create(name: string): Topic {
  const topic = topics.get(name) ?? { texts: [], waiting: new Set() };
  topics.set(name, topic);
  return topic;
}

/** Publishes a text in a topic, which it creates if there is none. */
export function publish(name: string, text: string): void {
  const { texts, waiting } = create(name);
  texts.push(text);
  for (const wake of waiting) wake();
}

/** Forgets a topic. */
export function remove(name: string): void {
  topics.delete(name);
}

/**
 * What was published after the first texts, and what is, until the signal aborts;
 * nothing where the topic is gone before its reader has come.
 */
export async function* follow(
  name: string,
  { seen, signal }: { readonly seen: number; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const topic = topics.get(name);
  if (topic === undefined) return;
  const { texts, waiting } = topic;
  let wake = (): void => {};
  const woken = (): void => wake();
  waiting.add(woken);
  signal.addEventListener("abort", woken);
  try {
    for (let next = seen; !signal.aborted;) {
      if (next < texts.length) yield texts[next++]!;
      else await new Promise<void>((resolve) => wake = resolve);
    }
  } finally {
    waiting.delete(woken);
  }
}
