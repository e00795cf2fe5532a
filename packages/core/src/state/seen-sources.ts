import type { PodConfig } from '@nodeagent/pod-sources';

/** The sources whose pods the sync loop has handled. */
export interface SeenSources {
  add(source: string): void;
  /** Whether every source has delivered its list and the sync loop has handled it; until then no pod may be treated as removed. */
  areAllSeen(): boolean;
}

export function createSeenSources(podConfig: Pick<PodConfig, 'seenAllSources'>): SeenSources {
  const seen = new Set<string>();
  return { add: (source) => void seen.add(source), areAllSeen: () => podConfig.seenAllSources(seen) };
}
