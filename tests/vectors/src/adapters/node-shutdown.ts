import type { Pod } from '@nodeagent/api';
import { shutdownGroups, shutdownPeriods, shutdownSeconds } from '@nodeagent/node-shutdown/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Recorded = any;

function shutdown(input: Recorded) {
  const periods = shutdownPeriods({ ...input, shutdownGracePeriodByPodPriority: input.byPodPriority });
  if (periods.length === 0) return { enabled: false };
  const pods: Pod[] = input.pods.map(({ uid, ...spec }: Recorded) => ({ metadata: { uid }, spec: { containers: [], ...spec } }));
  return {
    enabled: true,
    periodRequestedSeconds: shutdownSeconds(periods),
    groups: shutdownGroups(periods, pods).map(({ pods: members, ...period }) => ({
      ...period,
      pods: members.map(({ pod, gracePeriodSeconds }) => ({ uid: pod.metadata?.uid, gracePeriodOverride: gracePeriodSeconds })),
    })),
  };
}

export const nodeShutdownAdapters: Adapter[] = [defineAdapter('shutdown-groups', shutdown)];
