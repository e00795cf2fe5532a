/** What has arrived of a stream, for one reader: the stream is read when it arrives, so that nothing is in transit while it is processed. */
export interface Arrivals<T> extends AsyncIterable<T> {
  push(message: T): void;
  /** The stream has ended, with an error or without. */
  end(outcome: { error?: unknown }): void;
}

export function createArrivals<T>(): Arrivals<T> {
  const unread: T[] = [];
  let end: { error?: unknown } | undefined;
  let notify = () => {};
  return {
    push(message) {
      unread.push(message);
      notify();
    },
    end(outcome) {
      end ??= outcome;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        const message = unread.shift();
        if (message !== undefined) yield message;
        else if (end && 'error' in end) throw end.error;
        else if (end) return;
        else
          await new Promise<void>((resolve) => {
            notify = resolve;
          });
      }
    },
  };
}
