import type { PodStatus } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { canonicalRequest, statusLine } from './canonical.js';

describe('a request in canonical form', () => {
  it('has its keys sorted, and numbers and bytes as they are recorded', () => {
    const request = { b: 1n, a: { value: new TextEncoder().encode('text') }, cpuPeriod: 100_000n, port: 80 };
    expect(JSON.stringify(canonicalRequest(request))).toBe('{"a":{"value":"text"},"b":"1","cpuPeriod":"100000","port":80}');
  });

  it('omits values that equal an absent field', () => {
    const empty = {
      a: '',
      b: 0,
      c: 0n,
      d: false,
      e: undefined,
      f: null,
      g: {},
      h: [],
      i: new Uint8Array(),
      seccomp: { profileType: 'RuntimeDefault' },
    };
    expect(canonicalRequest(empty)).toBeUndefined();
    expect(canonicalRequest({ namespaceOptions: { pid: 'CONTAINER', ipc: 'POD' } })).toEqual({ namespaceOptions: { pid: 'CONTAINER' } });
  });

  it('keeps a text that is a zero name of another field', () => {
    expect(canonicalRequest({ envs: [{ key: 'network', value: 'POD' }] })).toEqual({ envs: [{ key: 'network', value: 'POD' }] });
  });

  it('omits irrelevant differences, and the order of variables and mounts but not of arguments', () => {
    const request = (order: 1 | -1) => ({
      annotations: { 'kubernetes.io/config.seen': String(order), 'io.kubernetes.container.hash': String(order), mine: 'x' },
      envs: [{ key: 'a' }, { key: 'b' }].sort((a, b) => order * a.key.localeCompare(b.key)),
    });
    expect(canonicalRequest(request(1))).toEqual(canonicalRequest(request(-1)));
    expect(canonicalRequest({ args: ['b', 'a'] })).toEqual({ args: ['b', 'a'] });
  });
});

describe('the line of a status', () => {
  const container = { image: 'i:1', imageID: '', restartCount: 0, started: false };
  const status: PodStatus = {
    phase: 'Running',
    qosClass: 'Burstable',
    observedGeneration: 2,
    conditions: [
      { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'all of them', observedGeneration: 1 },
      { type: 'Initialized', status: 'True', observedGeneration: 2 },
    ],
    initContainerStatuses: [{ ...container, name: 'i', ready: true, state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    containerStatuses: [
      {
        ...container,
        name: 'c',
        ready: false,
        restartCount: 2,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'wait' } },
        lastState: { terminated: { exitCode: 3, reason: 'Error' } },
        resources: { requests: { cpu: '1' } },
        allocatedResources: { cpu: '1' },
      },
    ],
    resources: { requests: { cpu: '1' } },
    allocatedResources: { cpu: '1' },
  };

  it('contains everything except times, ids and addresses', () => {
    expect(statusLine(status).split('; ')).toEqual([
      'Running Burstable 2',
      'Initialized=True 2',
      'Ready=False(ContainersNotReady: all of them) 1',
      'i terminated(Completed)=0, i:1, ready',
      'c waiting(CrashLoopBackOff: wait), i:1, restarts 2, was terminated(Error)=3, resources {"requests":{"cpu":"1"}}, allocated {"cpu":"1"}',
      'resources {"requests":{"cpu":"1"}} {"cpu":"1"}',
    ]);
  });

  it('contains the reason of a terminated pod, and a container without a startup probe', () => {
    const ephemeral = { name: 'd', image: 'i:1', imageID: '', ready: false, restartCount: 0, state: { running: {} } };
    expect(statusLine({ phase: 'Failed', reason: 'Evicted', ephemeralContainerStatuses: [ephemeral] })).toBe(
      'Failed(Evicted)  0; d running, i:1, no startup; resources {} {}',
    );
  });
});
