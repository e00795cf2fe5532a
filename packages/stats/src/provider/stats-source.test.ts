import { expect, it } from 'vitest';
import { chooseStatsSource } from './stats-source.js';

it.each([
  ['unix:///run/containerd/containerd.sock', false, 'cri'],
  ['unix:///var/run/crio/crio.sock', false, 'cgroup'],
  ['/run/crio/crio.sock', false, 'cgroup'],
  ['unix:///run/crio/crio.sock', true, 'cri-pods'],
  ['unix:///run/containerd/containerd.sock', true, 'cri-pods'],
] as const)('%s, gate %s: %s', (endpoint, podAndContainerStatsFromCRI, source) =>
  expect(chooseStatsSource(endpoint, { podAndContainerStatsFromCRI })).toBe(source),
);
