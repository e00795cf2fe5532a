import { expect, it } from 'vitest';
import { decodeMemoryCheckpoint, encodeMemoryCheckpoint } from './checkpoint.js';

const table = { total: 2048, systemReserved: 512, allocatable: 1536, reserved: 512, free: 1024 };
const state = {
  policyName: 'static',
  machineState: { 0: { numberOfAssignments: 0, memoryMap: { memory: table }, cells: [] } },
  entries: { pod: { container1: [{ numaAffinity: [0], type: 'memory', size: 512 }] } },
};

it('has the checksum of a kubelet', () => {
  expect(encodeMemoryCheckpoint({ policyName: 'None', machineState: {}, entries: {} })).toBe(
    '{"policyName":"None","machineState":{},"checksum":4236770233}',
  );
  expect(JSON.parse(encodeMemoryCheckpoint(state))).toEqual({ ...state, checksum: 4215593881 });
});

it('reads back what it wrote', () => {
  expect(decodeMemoryCheckpoint(encodeMemoryCheckpoint(state))).toEqual(state);
  expect(decodeMemoryCheckpoint(JSON.stringify({ ...state, checksum: 0 }))).toEqual(state);
});

it.each([
  ['[]', '"policyName" is not a string'],
  ['{"policyName":"Static","machineState":[]}', 'machineState is not an object'],
  ['{"policyName":"Static","machineState":{"0":{"numberOfAssignments":"1"}}}', 'machineState.0.numberOfAssignments is not a whole number'],
  ['{"policyName":"Static","entries":{"u":{"c":[{"type":3}]}}}', 'entries.u.c[0].type is not a string'],
  ['{"policyName":"Static","entries":{"u":{"c":{}}}}', 'entries.u.c is not a list'],
  [JSON.stringify({ ...state, checksum: 1 }), 'checkpoint is corrupted: the checksum does not match'],
])('rejects %s', (text, problem) => {
  expect(() => decodeMemoryCheckpoint(text)).toThrow(problem);
});
