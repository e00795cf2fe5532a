import type { Summary } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { parseSummary } from './parse-summary.js';
import { summaryJson } from './summary-json.js';

const time = '2026-01-01T00:00:00Z';
const psi = { full: { total: 0n, avg10: 0, avg60: 0.25, avg300: 1.5 }, some: { total: 2n ** 64n - 1n, avg10: 1, avg60: 2, avg300: 3 } };
const cpu = { time, usageNanoCores: 1n, usageCoreNanoSeconds: 2n ** 53n + 1n, psi };
const memory = {
  ...{ time, availableBytes: 0n, usageBytes: 2n ** 64n - 1n, workingSetBytes: 3n, rssBytes: 4n, pageFaults: 5n, majorPageFaults: 6n, psi },
};
const io = { time, psi };
const fs = { time, availableBytes: 1n, capacityBytes: 2n ** 60n, usedBytes: 3n, inodesFree: 4n, inodes: 5n, inodesUsed: 6n };
const swap = { time, swapAvailableBytes: 1n, swapUsageBytes: 0n };
const counters = { name: 'eth0', rxBytes: 1n, rxErrors: 0n, txBytes: 2n, txErrors: 0n };
const network = { time, ...counters, interfaces: [counters, { name: 'lo' }] };
const container = { name: 'web', startTime: time, cpu, memory, io, rootfs: fs, logs: fs, swap };

/** A summary with all fields of the API. */
const full: Summary = {
  node: {
    ...{ nodeName: 'n1', systemContainers: [container], startTime: time, cpu, memory, io, network, fs, swap },
    runtime: { imageFs: fs, containerFs: fs },
    rlimit: { time, maxpid: 4194304n, curproc: -1n },
  },
  pods: [
    {
      ...{ podRef: { name: '"1234567890123456789"', namespace: 'default', uid: '1234567890123456789' }, startTime: time },
      ...{ containers: [container], cpu, memory, io, network, 'ephemeral-storage': fs, process_stats: { process_count: 7n }, swap },
      volume: [{ ...fs, name: 'data', pvcRef: { name: 'c', namespace: 'default' }, volumeHealthStats: { abnormal: true } }],
    },
  ],
};

it('reads all fields that summaryJson writes, exactly and with the same bytes', () => {
  const text = summaryJson(full);
  expect(parseSummary(text)).toStrictEqual(full);
  expect(summaryJson(parseSummary(text))).toBe(text);
});

it('keeps the order of the fields of the text', () => {
  const text = `{"pods":[],"node":{"startTime":"${time}","nodeName":"n1","cpu":{"usageNanoCores":18446744073709551615,"time":"${time}"}}}`;
  expect(summaryJson(parseSummary(text))).toBe(text);
});

it('reads integers beyond 2^53 of a parsed value as JSON.parse has rounded them', () => {
  const { node } = parseSummary(JSON.parse(summaryJson(full)));
  expect(node.cpu?.usageCoreNanoSeconds).toBe(2n ** 53n);
  expect(node.memory?.usageBytes).toBe(2n ** 64n - 1n);
  expect(node.fs).toEqual(fs);
});

it('ignores unknown fields and nulls, and completes required fields with zero values', () => {
  const pod = { podRef: null, containers: [{ cpu: { psi: {} } }], volume: [{ volumeHealthStats: {} }], accelerators: [{ memory: 'x' }] };
  const zero = '0001-01-01T00:00:00Z';
  const none = { total: 0n, avg10: 0, avg60: 0, avg300: 0 };
  expect(parseSummary({ kind: 'Summary', node: { nodeName: 'n1', startTime: null, cpu: null }, pods: [pod] })).toStrictEqual({
    node: { nodeName: 'n1', startTime: zero },
    pods: [
      {
        podRef: { name: '', namespace: '', uid: '' },
        startTime: zero,
        containers: [{ name: '', startTime: zero, cpu: { time: zero, psi: { full: none, some: none } } }],
        volume: [{ name: '', time: zero, volumeHealthStats: { abnormal: false } }],
      },
    ],
  });
  expect(parseSummary('{"node":{}}').pods).toEqual([]);
});

describe('a value of another type is refused with its path', () => {
  const cases: [string, string, string][] = [
    ['[]', '', 'it must be an object, got a list'],
    ['{"pods":[]}', 'node', 'node must be an object, got nothing'],
    ['{"node":{},"pods":{}}', 'pods', 'pods must be a list, got an object'],
    ['{"node":{},"pods":[1]}', 'pods[0]', 'pods[0] must be an object, got 1'],
    ['{"node":{"nodeName":5}}', 'node.nodeName', 'node.nodeName must be a string, got 5'],
    ['{"node":{"nodeName":1234567890123456789}}', 'node.nodeName', 'node.nodeName must be a string, got 1234567890123456789'],
    ...['"1"', '1.5', '-1', '18446744073709551616', 'true'].map((value): [string, string, string] => [
      `{"node":{},"pods":[{"cpu":{"usageNanoCores":${value}}}]}`,
      'pods[0].cpu.usageNanoCores',
      `pods[0].cpu.usageNanoCores must be an unsigned 64-bit integer, got ${value}`,
    ]),
    ['{"node":{"cpu":{"psi":{"some":{"avg10":"1"}}}}}', 'node.cpu.psi.some.avg10', 'node.cpu.psi.some.avg10 must be a number, got "1"'],
    [
      '{"node":{},"pods":[{"volume":[{},{"volumeHealthStats":{"abnormal":1}}]}]}',
      'pods[0].volume[1].volumeHealthStats.abnormal',
      'pods[0].volume[1].volumeHealthStats.abnormal must be a boolean, got 1',
    ],
  ];

  it.each(cases)('%s', (text, field, message) => {
    const refusal = { code: 'InvalidSummary', message: `invalid summary: ${message}`, details: { field } };
    expect(() => parseSummary(text)).toThrow(expect.objectContaining(refusal));
  });
});

it('refuses a text that is not JSON', () => {
  expect(() => parseSummary('Unauthorized')).toThrow(
    expect.objectContaining({ code: 'InvalidSummary', message: expect.stringMatching(/^invalid summary: Unexpected token/) }),
  );
});
