import type { NodeAgentSettings } from '@nodeagent/core';
import type { NodeLifecycleSettings } from '@nodeagent/test-api-server';

/**
 * Periods of the agents' periodic work. `kubelet`: the kubelet's defaults, such as a heartbeat every 10 s. `long`: ten to sixty times longer
 * for all work that events also trigger, for fleets and long runs. Pods react as fast, but gradually growing usage is detected within ten
 * minutes, and the end of pressure within fifteen.
 */
export type AgentPeriods = 'kubelet' | 'long';

const minute = 60_000;

/** The settings of a cluster's parts for {@link AgentPeriods}. */
export interface PeriodSettings {
  settings: Partial<NodeAgentSettings>;
  /** Settings of the Node's status. */
  node: { nodeStatusUpdateFrequencyMs?: number; nodeStatusReportFrequencyMs?: number };
  leaseDurationSeconds?: number;
  nodeLifecycle: NodeLifecycleSettings;
  /** Monitoring interval of eviction; memory pressure triggers it earlier. */
  eviction: { monitoringIntervalMs?: number };
  watches: { watchIdleMs?: number; watchMs?: number };
  bookmarkPeriodMs?: number;
  /** Delay from `TestNode.pressure` to a sync of the Node's status, if the next periodic one is far. */
  pressureReportMs?: number;
}

const settingsByPeriods: Readonly<Record<AgentPeriods, PeriodSettings>> = {
  kubelet: { settings: {}, node: {}, nodeLifecycle: {}, eviction: {}, watches: {} },
  long: {
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
    nodeLifecycle: { nodeMonitorGracePeriodMs: 50 * minute },
    eviction: { monitoringIntervalMs: 10 * minute },
    watches: { watchIdleMs: 75 * minute, watchMs: 120 * minute },
    bookmarkPeriodMs: 30 * minute,
    pressureReportMs: 10_000,
  },
};

export const periodSettingsOf = (periods: AgentPeriods): PeriodSettings => settingsByPeriods[periods];
