import type { ProbeUpdate, ProbeUpdates } from '@nodeagent/api';

/**
 * Updates in the order in which results changed. Of one probe only the latest is kept, in the place of the first: what waits is bounded by
 * the number of probes, however slow the consumer is, and nothing that still holds is lost.
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
