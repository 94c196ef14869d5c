/** The texts of a topic, and the functions that wake its readers. */
interface Topic {
  readonly texts: string[];
  readonly waiting: Set<() => void>;
}

const topics = new Map<string, Topic>();

export function create(name: string): Topic {
  const topic = topics.get(name) ?? { texts: [], waiting: new Set() };
  topics.set(name, topic);
  return topic;
}

export function publish(name: string, text: string): void {
  const { texts, waiting } = create(name);
  texts.push(text);
  for (const wake of waiting) wake();
}

export function remove(name: string): void {
  topics.delete(name);
}

/**
 * Yields the texts after the first `seen`, and then new texts until the signal aborts.
 * Without the topic, it yields nothing.
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
