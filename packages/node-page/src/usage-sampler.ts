import type { Clock, Summary, Timer } from '@nodeagent/api';
import type { NodePageAgent } from './options.js';
import { createUsageHistory, type Usage, type UsageHistory, type UsageSample } from './usage-history.js';
import { type NetworkBytes, networkBytes, usageOf, usageSample } from './usage-sample.js';

export interface UsageSampler {
  readonly history: Pick<UsageHistory, 'latest' | 'ofNode' | 'ofPod'>;
  /** Usage of each container of a pod at the last sample. */
  containers(uid: string): Record<string, Usage>;
  /** When the node booted, as of the last sample. */
  startTime(): string | undefined;
  /** The first viewer has come. Idempotent. */
  watched(): void;
  /** The last viewer has left: sampling ends ten minutes later, and the samples are dropped. */
  unwatched(): void;
  stop(): void;
}

/** An hour of samples. */
const historyMs = 3_600_000;
const idleMs = 600_000;

/** Samples the usage while a browser is connected, and for ten minutes after that; without stats, and without viewers, it has no timer. */
export function createUsageSampler(
  agent: Pick<NodePageAgent, 'stats' | 'pods'>,
  { clock, periodMs, onSample }: { clock: Clock; periodMs: number; onSample(sample: UsageSample): void },
): UsageSampler {
  const history = createUsageHistory(Math.ceil(historyMs / periodMs));
  let summary: Summary | undefined;
  let network: NetworkBytes | undefined;
  let next: Timer | undefined;
  let idle: Timer | undefined;
  let running: AbortController | undefined;

  const sample = async ({ signal }: AbortController) => {
    summary = await agent.stats?.summary({ fresh: false, signal });
    if (summary === undefined || signal.aborted) return;
    const at = clock.now();
    const taken = usageSample(summary, { at, views: agent.pods(), before: network });
    network = networkBytes(summary, at);
    history.add(taken);
    onSample(taken);
  };
  const run = (ended: AbortController) => {
    // A sample that fails is missing in the history: eviction reports errors of the stats.
    void sample(ended)
      .catch(() => {})
      .then(() => {
        if (!ended.signal.aborted) next = clock.setTimeout(() => run(ended), periodMs);
      });
  };
  const stop = () => {
    running?.abort();
    running = undefined;
    next?.cancel();
    idle?.cancel();
    history.clear();
    summary = undefined;
    network = undefined;
  };
  return {
    history,
    containers(uid) {
      const pod = summary?.pods.find(({ podRef }) => podRef.uid === uid);
      return Object.fromEntries((pod?.containers ?? []).map((each) => [each.name, usageOf(each)]));
    },
    startTime: () => summary?.node.startTime,
    watched() {
      idle?.cancel();
      if (running !== undefined || agent.stats === undefined) return;
      running = new AbortController();
      run(running);
    },
    unwatched() {
      if (running === undefined) return;
      idle?.cancel();
      idle = clock.setTimeout(stop, idleMs);
    },
    stop,
  };
}
