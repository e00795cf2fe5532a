import type { Clock, Logger } from '@nodeagent/api';
import type { Reconciler } from './reconciler.js';

/** Retry period while the Node cannot be read. */
const retryMs = 1000;

export interface NodeStatusReadsOptions {
  reconciler: Pick<Reconciler, 'awaitingNodeStatus' | 'updateFromNodeStatus'>;
  nodeName: string;
  clock: Pick<Clock, 'monotonic'>;
  logger: Logger;
  /** Called when a read has ended. */
  onRead(): void;
}

/**
 * Creates a function that reads the Node's status if a reconstructed volume needs it, one read at a time. It returns the time of the next
 * attempt, in monotonic milliseconds.
 */
export function createNodeStatusReads(options: NodeStatusReadsOptions): (signal: AbortSignal) => number {
  const { reconciler, nodeName, clock, logger, onRead } = options;
  let isReading = false;
  let nextReadAt = Number.NEGATIVE_INFINITY;
  return (signal) => {
    if (reconciler.awaitingNodeStatus.size === 0 || isReading) return Number.POSITIVE_INFINITY;
    if (clock.monotonic() < nextReadAt) return nextReadAt;
    isReading = true;
    nextReadAt = clock.monotonic() + retryMs;
    void reconciler
      .updateFromNodeStatus(signal)
      .catch((error) => logger.warn({ node: nodeName, err: error }, "could not read the node's attached volumes"))
      .finally(() => {
        isReading = false;
        onRead();
      });
    return Number.POSITIVE_INFINITY;
  };
}
