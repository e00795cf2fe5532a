import { CpuSet } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { decodeCpuCheckpoint, encodeCpuCheckpoint } from './checkpoint.js';

const cpus = (text: string) => CpuSet.parse(text);
const unknown = () => undefined;

it.each([
  '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
  '{"policyName":"static","defaultCpuSet":"0-1","checksum":1636926438}',
  '{"policyName":"static","defaultCpuSet":"0","entries":{"11111111-2222-3333-4444-555555555555":{"main":"1"}},"checksum":4271850088}',
  // Written by this package and accepted by a kubelet.
  '{"policyName":"static","defaultCpuSet":"0","entries":{"uid-b":{"z":"1","a":"1"},"uid-a":{"c":"1"}},"checksum":2484464688}',
])('reads and writes %s of kubelet v1.36.2', (text) => {
  expect(encodeCpuCheckpoint(decodeCpuCheckpoint(text, unknown))).toBe(text);
});

it('reads back what it wrote, whatever the order of pods and containers', () => {
  const assignments = new Map([
    ['pod-b', new Map([['z', cpus('3')]])],
    [
      'pod-a',
      new Map([
        ['y', cpus('1-2')],
        ['x', cpus('5,7')],
      ]),
    ],
  ]);
  const checkpoint = { policyName: 'static', state: { defaultCpuSet: cpus('0,4,6'), assignments } };
  const text = encodeCpuCheckpoint(checkpoint);
  expect(decodeCpuCheckpoint(text, unknown)).toEqual(checkpoint);
  const { entries, ...rest } = JSON.parse(text);
  expect(entries).toEqual({ 'pod-a': { x: '5,7', y: '1-2' }, 'pod-b': { z: '3' } });
  const reordered = JSON.stringify({ ...rest, entries: { 'pod-a': { x: '5,7', y: '1-2' }, 'pod-b': { z: '3' } } });
  expect(decodeCpuCheckpoint(reordered, unknown)).toEqual(checkpoint);
});

it('accepts a file with checksum 0', () => {
  const text = '{"policyName":"static","defaultCpuSet":"0-1","entries":{"p":{"c":"2-3"}},"checksum":0}';
  expect(decodeCpuCheckpoint(text, unknown).state.assignments.get('p')?.get('c')?.toString()).toBe('2-3');
});

it('migrates the older form, with container ids', () => {
  const text = '{"policyName":"static","defaultCpuSet":"0-1","entries":{"id1":"2","id2":"3"},"checksum":0}';
  const migrated = decodeCpuCheckpoint(text, (id) => ({ podUID: 'p', containerName: `of-${id}` }));
  expect([...(migrated.state.assignments.get('p') ?? [])].map(([name, set]) => [name, set.toString()])).toEqual([
    ['of-id1', '2'],
    ['of-id2', '3'],
  ]);
  expect(() => decodeCpuCheckpoint(text, unknown)).toThrow(
    "error migrating v1 checkpoint state to v2 checkpoint state: containerID 'id1' not found in initial containers list",
  );
});

it.each([
  ['no JSON', 'checkpoint is corrupted'],
  ['[]', 'checkpoint is corrupted'],
  ['{"policyName":1}', 'checkpoint is corrupted'],
  ['{"policyName":"none","defaultCpuSet":"","checksum":1}', 'checkpoint is corrupted'],
  ['{"policyName":"none","defaultCpuSet":"","entries":{"a":"1","b":{"c":"1"}}}', 'checkpoint is corrupted'],
  ['{"policyName":"none","defaultCpuSet":"x"}', 'could not parse default cpu set "x": '],
  ['{"policyName":"none","entries":{"p":{"c":"x"}}}', 'could not parse cpuset "x" for container "c" in pod "p": '],
])('rejects %s', (text, message) => {
  expect(() => decodeCpuCheckpoint(text, unknown)).toThrow(message);
});
