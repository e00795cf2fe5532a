import type { PodReference, StatsProvider } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { createTestStatsProvider } from './stats-provider-double.js';
import type { StatsProviderSubject } from './stats-provider-suite.js';

const pod: PodReference = { name: 'web', namespace: 'default', uid: 'u1' };

/** The subject of {@link createTestStatsProvider}, optionally modified by a test. */
export function tinySubject(change: (stats: StatsProvider) => Partial<StatsProvider> = () => ({})): { subject: StatsProviderSubject } {
  const clock = createVirtualClock();
  let bytes = 0n;
  let isFailing = false;
  const stats = createTestStatsProvider({
    nodeName: 'n1',
    pod,
    memory: async (signal) => {
      await clock.sleep(10, signal);
      if (isFailing) throw new Error('no stats');
      return bytes;
    },
  });
  return {
    subject: {
      stats: { ...stats, ...change(stats) },
      nodeName: 'n1',
      container: { pod, name: 'main' },
      use: (next) => {
        bytes = next;
      },
      setFailing: (next) => {
        isFailing = next;
      },
      advance: clock.advance,
    },
  };
}
