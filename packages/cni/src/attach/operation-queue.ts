/**
 * Runs operations: those of one key one after the other, others beside each other up to a limit, and an exclusive one alone. Each in the order of
 * the calls. CNI specification, "Lifecycle & Ordering".
 */
export interface OperationQueue {
  /** Rejects with the signal's reason if that aborts before the operation has started. */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  runAlone<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Without a key it runs alone. */
interface Waiting {
  key: string | undefined;
  begin(): void;
}

export function createOperationQueue(maxParallel: number): OperationQueue {
  let waiting: Waiting[] = [];
  const running = new Set<Waiting>();

  function beginNext(): void {
    const keys = new Set([...running].map(({ key }) => key));
    for (const each of [...waiting]) {
      if (keys.has(undefined) || running.size >= maxParallel) return;
      if (each.key === undefined && running.size > 0) return;
      if (!keys.has(each.key)) begin(each);
      keys.add(each.key);
    }
  }

  function begin(each: Waiting): void {
    waiting = waiting.filter((other) => other !== each);
    running.add(each);
    each.begin();
  }

  function enqueue<T>(key: string | undefined, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const entry: Waiting = { key, begin: () => void run() };
      function leave(): void {
        waiting = waiting.filter((other) => other !== entry);
        reject(signal?.reason);
        beginNext();
      }
      async function run(): Promise<void> {
        signal?.removeEventListener('abort', leave);
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        } finally {
          running.delete(entry);
          beginNext();
        }
      }
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(entry);
      beginNext();
    });
  }

  return {
    run: (key, work, signal) => enqueue(key, work, signal),
    runAlone: (work, signal) => enqueue(undefined, work, signal),
  };
}
