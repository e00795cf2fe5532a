import { expect, it } from 'vitest';
import { fnv1a32 } from './fnv.js';
import { dumpGoMap, dumpGoSlice, dumpGoStruct } from './go-dump.js';

it('prints maps sorted by key, integers as numbers', () => {
  expect(dumpGoMap('int', { 10: 'b', 2: 'a', [-1]: 'c' }, String)).toBe('map[-1:c 2:a 10:b]');
  expect(dumpGoMap('string', { b: 1, a: 2, 10: 3, 9: 4 }, String)).toBe('map[10:3 9:4 a:2 b:1]');
  expect(dumpGoMap('string', { '\u{1f600}': 1, '\uffee': 2, ab: 3, a: 4, abc: 5 }, String)).toBe(
    'map[a:4 ab:3 abc:5 \uffee:2 \u{1f600}:1]',
  );
});

it.each([
  [{ policyName: 'none', defaultCpuSet: '', entries: {} }, 1353318690],
  [{ policyName: 'static', defaultCpuSet: '0-13', entries: { '6c5f3038-adfc-485d-9943-3fd5e825300d': { app: '14-27' } } }, 3451722052],
])('gives the checksum of a cpu_manager_state that a kubelet wrote', ({ policyName, defaultCpuSet, entries }, checksum) => {
  const dump = dumpGoStruct({
    PolicyName: ['string', policyName],
    DefaultCPUSet: ['string', defaultCpuSet],
    Entries: ['map[string]map[string]string', dumpGoMap('string', entries, (pod) => dumpGoMap('string', pod, String))],
    Checksum: ['checksum.Checksum', 0],
  });
  expect(fnv1a32(`(*state.CPUManagerCheckpoint)${dump}`)).toBe(checksum);
});

it('prints slices without types', () => {
  expect(dumpGoSlice([1, 'a'])).toBe('[1 a]');
  expect(dumpGoSlice(Uint8Array.of(10, 107))).toBe('[10 107]');
});
