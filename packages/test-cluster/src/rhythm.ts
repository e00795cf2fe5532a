import type { NodeAgentSettings } from '@nodeagent/core';

/**
 * How often agents do what they do without cause. `kubelet`: as a kubelet by default, a heartbeat each 10 s. `calm`: everything that events
 * make needless about ten to sixty times less often, for fleets and long times; what happens to pods happens just as soon, while usage that
 * grows by itself is noticed within ten minutes, and that pressure is over within fifteen.
 */
export type Rhythm = 'kubelet' | 'calm';

const minute = 60_000;

/** What a rhythm means for the parts of a cluster. */
export interface Tempo {
  settings: Partial<NodeAgentSettings>;
  /** Of the Node's status. */
  node: { nodeStatusUpdateFrequencyMs?: number; nodeStatusReportFrequencyMs?: number };
  leaseDurationSeconds?: number;
  /** Time between two looks of eviction, which memory pressure cuts short. */
  eviction: { monitoringIntervalMs?: number };
  watches: { watchIdleMs?: number; watchMs?: number };
  bookmarkPeriodMs?: number;
  /** From `TestNode.pressure` to a look at the Node's status, where its next one is far. */
  pressureReportMs?: number;
}

const tempos: Readonly<Record<Rhythm, Tempo>> = {
  kubelet: { settings: {}, node: {}, eviction: {}, watches: {} },
  calm: {
    settings: {
      syncFrequencyMs: 60 * minute,
      idleHousekeepingPeriodMs: 10 * minute,
      containerGCPeriodMs: 10 * minute,
      runtimeStatusPeriodMs: 10 * minute,
      runtimeStatusThresholdMs: 30 * minute,
    },
    node: { nodeStatusUpdateFrequencyMs: 5 * minute, nodeStatusReportFrequencyMs: 10 * minute },
    // Renewed at a quarter of that.
    leaseDurationSeconds: 40 * 60,
    eviction: { monitoringIntervalMs: 10 * minute },
    watches: { watchIdleMs: 75 * minute, watchMs: 120 * minute },
    bookmarkPeriodMs: 30 * minute,
    pressureReportMs: 10_000,
  },
};

export const tempoOf = (rhythm: Rhythm): Tempo => tempos[rhythm];
