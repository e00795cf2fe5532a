import type { ProbeResult, ProbeUpdate, ProbeUpdates } from '@nodeagent/api';

type ProbeType = ProbeUpdate['type'];

/** The results of probes by type and container, and the updates that were not read. */
export class ProbeResults {
  readonly #waiting = new Map<string, ProbeUpdate>();
  readonly #results: Record<ProbeType, Map<string, ProbeResult>> = { Liveness: new Map(), Readiness: new Map(), Startup: new Map() };
  readonly updates: ProbeUpdates = { onOffer: undefined, poll: () => this.#poll() };

  get(type: ProbeType, containerId: string): ProbeResult | undefined {
    return this.#results[type].get(containerId);
  }

  delete(type: ProbeType, containerId: string): void {
    this.#results[type].delete(bare(containerId));
  }

  publish(update: ProbeUpdate): void {
    const results = this.#results[update.type];
    if (results.get(bare(update.containerId)) === update.result) return;
    results.set(bare(update.containerId), update.result);
    this.#waiting.set(`${update.type} ${update.containerId}`, update);
    this.updates.onOffer?.();
  }

  #poll(): ProbeUpdate | undefined {
    for (const [key, update] of this.#waiting) {
      this.#waiting.delete(key);
      return update;
    }
    return undefined;
  }
}

/** The ID without the name of the runtime. */
export const bare = (containerId: string): string => containerId.replace(/^.*:\/\//, '');
