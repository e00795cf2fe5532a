import { expect, it } from 'vitest';
import { mergeAgentConfigurations } from './agent-configuration.js';

it('merges sections field by field, the last one wins', () => {
  expect(
    mergeAgentConfigurations(
      { agent: { settings: { syncFrequencyMs: 60_000, clusterDomain: 'a' } }, server: { https: { port: 1, address: '::' } } },
      { agent: { settings: { syncFrequencyMs: 1_000 }, eviction: { settings: { evictionMaxPodGracePeriod: 1 } } } },
      { agent: { eviction: { settings: { evictionPressureTransitionPeriodMs: 2 } } }, server: { https: { port: 2 } } },
    ),
  ).toEqual({
    agent: {
      settings: { syncFrequencyMs: 1_000, clusterDomain: 'a' },
      eviction: { settings: { evictionMaxPodGracePeriod: 1, evictionPressureTransitionPeriodMs: 2 } },
    },
    cluster: {},
    runtime: {},
    staticPods: {},
    server: { https: { port: 2, address: '::' } },
    certificates: {},
  });
});

it('replaces lists and maps as a whole', () => {
  const { agent, cluster, staticPods } = mergeAgentConfigurations(
    {
      agent: { settings: { clusterDNS: ['a', 'b'] }, eviction: { settings: { evictionHard: { 'memory.available': '1Gi' } } } },
      cluster: { settings: { nodeLabels: { a: '1' } }, featureGates: { A: true } },
      staticPods: { headers: { A: '1' } },
    },
    {
      agent: { settings: { clusterDNS: ['c'] }, eviction: { settings: { evictionHard: {} } } },
      cluster: { settings: { nodeLabels: { b: '2' } }, featureGates: { B: true } },
      staticPods: { headers: { B: '2' } },
    },
  );
  expect([agent.settings?.clusterDNS, agent.eviction?.settings?.evictionHard]).toEqual([['c'], {}]);
  expect([cluster.settings?.nodeLabels, cluster.featureGates, staticPods.headers]).toEqual([{ b: '2' }, { B: true }, { B: '2' }]);
});

it('changes no layer, and reads undefined as absent', () => {
  const base = { agent: { settings: { syncFrequencyMs: 1 } }, runtime: { endpoint: 'unix:///a' } };
  const before = structuredClone(base);
  const merged = mergeAgentConfigurations(base, { agent: { settings: { clusterDomain: 'a' } }, runtime: { endpoint: undefined } });
  expect(merged.runtime).toEqual({ endpoint: 'unix:///a' });
  expect(base).toEqual(before);
});
