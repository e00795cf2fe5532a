import type { NodeAgentSettings } from '@nodeagent/core';

/**
 * Periods of the agents' periodic work. `kubelet`: the kubelet's defaults, such as a heartbeat each 10 s. `calm`: all polling that events
 * replace runs about ten to sixty times less often, for fleets and long runs. Pods react as fast as before, but usage that
 * grows gradually is detected within ten minutes, and the end of pressure within fifteen.
 */
export type Rhythm = 'kubelet' | 'calm';

const minute = 60_000;

/** The settings of a cluster's parts for a rhythm. */
export interface RhythmSettings {
  settings: Partial<NodeAgentSettings>;
  /** Settings of the Node's status. */
  node: { nodeStatusUpdateFrequencyMs?: number; nodeStatusReportFrequencyMs?: number };
  leaseDurationSeconds?: number;
  /** Monitoring interval of eviction; memory pressure triggers it earlier. */
  eviction: { monitoringIntervalMs?: number };
  watches: { watchIdleMs?: number; watchMs?: number };
  bookmarkPeriodMs?: number;
  /** Delay from `TestNode.pressure` to a sync of the Node's status, if the next periodic one is far. */
  pressureReportMs?: number;
}

const settingsByRhythm: Readonly<Record<Rhythm, RhythmSettings>> = {
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
    // The lease is renewed at a quarter of this.
    leaseDurationSeconds: 40 * 60,
    eviction: { monitoringIntervalMs: 10 * minute },
    watches: { watchIdleMs: 75 * minute, watchMs: 120 * minute },
    bookmarkPeriodMs: 30 * minute,
    pressureReportMs: 10_000,
  },
};

export const settingsOfRhythm = (rhythm: Rhythm): RhythmSettings => settingsByRhythm[rhythm];
