import type { PodStatus } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { canonicalRequest, statusLine } from './canonical.js';

describe('a request in canonical form', () => {
  it('has its keys sorted, and numbers and bytes as they are recorded', () => {
    const request = { b: 1n, a: { value: new TextEncoder().encode('text') }, cpuPeriod: 100_000n, port: 80 };
    expect(JSON.stringify(canonicalRequest(request))).toBe('{"a":{"value":"text"},"b":"1","cpuPeriod":"100000","port":80}');
  });

  it('has nothing that equals an absent field', () => {
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

  it('keeps a text that is a zero name elsewhere', () => {
    expect(canonicalRequest({ envs: [{ key: 'network', value: 'POD' }] })).toEqual({ envs: [{ key: 'network', value: 'POD' }] });
  });

  it('leaves out what differs without meaning, and the order of variables and mounts but not of arguments', () => {
    const request = (order: 1 | -1) => ({
      annotations: { 'kubernetes.io/config.seen': String(order), 'io.kubernetes.container.hash': String(order), mine: 'x' },
      envs: [{ key: 'a' }, { key: 'b' }].sort((a, b) => order * a.key.localeCompare(b.key)),
    });
    expect(canonicalRequest(request(1))).toEqual(canonicalRequest(request(-1)));
    expect(canonicalRequest({ args: ['b', 'a'] })).toEqual({ args: ['b', 'a'] });
  });
});

describe('the line of a status', () => {
  const status: PodStatus = {
    phase: 'Running',
    qosClass: 'Burstable',
    conditions: [
      { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
      { type: 'Initialized', status: 'True' },
    ],
    initContainerStatuses: [
      {
        name: 'i',
        image: '',
        imageID: '',
        ready: true,
        restartCount: 0,
        started: false,
        state: { terminated: { exitCode: 0, reason: 'Completed' } },
      },
    ],
    containerStatuses: [
      {
        name: 'c',
        image: '',
        imageID: '',
        ready: false,
        restartCount: 2,
        started: false,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 3, reason: 'Error' } },
      },
    ],
  };

  it('tells phase, conditions and containers', () => {
    expect(statusLine(status)).toBe(
      'Running Burstable; Initialized=True Ready=False(ContainersNotReady); i terminated(Completed)=0, ready; ' +
        'c waiting(CrashLoopBackOff), restarts 2, was terminated(Error)=3',
    );
  });

  it('tells the reason of a pod that was ended, and a container that has no startup', () => {
    const ephemeral = { name: 'd', image: '', imageID: '', ready: false, restartCount: 0, state: { running: {} } };
    expect(statusLine({ phase: 'Failed', reason: 'Evicted', ephemeralContainerStatuses: [ephemeral] })).toBe(
      'Failed(Evicted) ; ; d running, no startup',
    );
  });
});
