import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../objects/pod.js';
import { cgroupfsPath, childCgroup, parseCgroupfsPath, parseSystemdPath, podCgroupName, systemdPath } from './cgroup-name.js';
import { CpuSet } from './cpuset.js';
import { podKey } from './pod.js';
import { findContainerStatus, isPodAvailable } from './pod-status.js';
import { isRestartable, shouldRestartOnExit } from './restart.js';
import { quoteText } from './text.js';
import { formatNanos, formatTime, parseTime } from './time.js';

const invalid = expect.objectContaining({ code: 'InvalidArgument' });

describe('CPU sets', () => {
  const set = fc.array(fc.nat(200)).map((numbers) => CpuSet.of(numbers));

  it('parse what they format', () => {
    fc.assert(fc.property(set, (a) => CpuSet.parse(a.toString()).equals(a)));
    expect(CpuSet.parse('3,1-2,8').toString()).toBe('1-3,8');
  });

  it('satisfy the laws of sets', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.union(b).size).toBe(a.size + b.size - a.intersection(b).size);
        expect(a.isSubsetOf(a.union(b))).toBe(true);
        expect(a.difference(b).intersection(b).isEmpty).toBe(true);
      }),
    );
  });

  it.each(['a', '3-1', '1,', '-1', '1-', '1-2-3', ' 1', '0-99999999999'])('refuse %j', (text) => {
    expect(() => CpuSet.parse(text)).toThrow(invalid);
  });

  it('reject invalid CPU numbers', () => {
    expect(() => CpuSet.of([0.5])).toThrow(invalid);
    expect(() => CpuSet.of([-1])).toThrow(invalid);
  });
});

describe('cgroup names', () => {
  it('have a format for each driver', () => {
    const name = podCgroupName({ metadata: { uid: '1-2' }, status: { qosClass: 'Burstable' } });
    expect(cgroupfsPath(name)).toBe('/kubepods/burstable/pod1-2');
    expect(systemdPath(name)).toBe('/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice');
    expect(parseSystemdPath(systemdPath(name))).toEqual(name);
    expect(parseCgroupfsPath(cgroupfsPath(name))).toEqual(name);
    expect(podCgroupName({ metadata: { uid: 'x' }, status: { qosClass: 'Guaranteed' } }, [])).toEqual(['podx']);
  });

  it('reject a component that could not be parsed again', () => {
    for (const component of ['', 'a/b', 'a_b']) expect(() => childCgroup([], component)).toThrow(invalid);
  });
});

describe('pods', () => {
  it("have the key namespace/name, from an object or from a runtime's report", () => {
    expect(podKey({ metadata: { name: 'web', namespace: 'prod', uid: 'u' } })).toBe('prod/web');
    expect(podKey({ name: 'web', namespace: 'prod' })).toBe('prod/web');
    expect([podKey({ metadata: { name: 'web' } }), podKey({})]).toEqual(['web', '']);
  });

  it('are available when they have been Ready for minReadySeconds', () => {
    const pod: Pod = { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] } };
    const start = Date.UTC(2026, 0, 1);
    expect([9_999, 10_000].map((ms) => isPodAvailable(pod, 10, start + ms))).toEqual([false, true]);
    expect(isPodAvailable({}, 0, start)).toBe(false);
    expect(() => isPodAvailable(pod, -1, start)).toThrow(invalid);
    expect(() => isPodAvailable(pod, 0, Number.NaN)).toThrow(invalid);
  });

  it('find a container status in each list', () => {
    const status = { name: 'i', ready: false, restartCount: 0, image: '', imageID: '' };
    expect(findContainerStatus({ initContainerStatuses: [status] }, 'i')).toBe(status);
    expect(findContainerStatus(undefined, 'i')).toBeUndefined();
  });

  it('restart containers by rule, container policy and pod policy', () => {
    const pod: Pod = { spec: { containers: [], restartPolicy: 'Never' } };
    const ruled = {
      name: 'c',
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
    };
    expect([42, 1].map((code) => shouldRestartOnExit(pod, ruled, code))).toEqual([true, false]);
    expect(isRestartable(pod, ruled)).toBe(true);
    expect(isRestartable(pod, { ...ruled, restartPolicy: undefined })).toBe(false);
    expect(shouldRestartOnExit({ spec: { containers: [], restartPolicy: 'OnFailure' } }, { name: 'c' }, 1)).toBe(true);
  });
});

it('quotes as the messages of the kubelet', () => {
  expect(quoteText('a"\\\n\u0001\u00a0é\u{e0001}')).toBe('"a\\"\\\\\\n\\x01\\u00a0é\\U000e0001"');
});

it('formats times and rejects invalid ones', () => {
  expect(formatTime(1_767_225_600_999)).toBe('2026-01-01T00:00:00Z');
  expect(formatNanos(1_767_225_600_999_000_000n)).toBe('2026-01-01T00:00:00Z');
  expect(parseTime('2026-01-01T00:00:00Z')).toBe(1_767_225_600_000);
  expect([undefined, null, 'tomorrow'].map(parseTime)).toEqual([undefined, undefined, undefined]);
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 1e16]) expect(() => formatTime(ms)).toThrow(invalid);
});
