import type { ProbeUpdate, ProbeUpdates } from '@nodeagent/api';

/**
 * A queue of updates in the order in which results changed. It keeps only the latest update of each probe, at the position of the first:
 * its size is bounded by the number of probes, and no current result is lost.
 */
export function createUpdateQueue(): ProbeUpdates & { offer(update: ProbeUpdate): void } {
  const waiting = new Map<string, ProbeUpdate>();
  return {
    onOffer: undefined,
    offer(update) {
      waiting.set(`${update.type} ${update.containerId}`, update);
      this.onOffer?.();
    },
    poll() {
      for (const [key, update] of waiting) {
        waiting.delete(key);
        return update;
      }
      return undefined;
    },
  };
}
