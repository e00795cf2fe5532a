import { describe, expect, it } from 'vitest';
import type { RuntimeContainerStatus } from '../contracts/runtime.js';
import type { Pod } from '../objects/pod.js';
import { newestInstance, shouldContainerBeRestarted } from './restart.js';

const instance = (state: RuntimeContainerStatus['state'], exitCode = 0): RuntimeContainerStatus => ({
  id: `${state}-${exitCode}`,
  name: 'main',
  state,
  createdAt: 0n,
  exitCode,
  image: '',
  imageId: '',
  imageRef: '',
  hash: '',
  restartCount: 0,
  reason: '',
  message: '',
  podSandboxId: '',
});
const container = { name: 'main' };
const pod = (restartPolicy: string, metadata: Pod['metadata'] = {}): Pod => ({
  metadata,
  spec: { containers: [container], restartPolicy },
});

describe('shouldContainerBeRestarted', () => {
  it.each([
    ['Never', undefined, true],
    ['Never', instance('created'), true],
    ['Never', instance('unknown'), true],
    ['Always', instance('running'), false],
    ['Always', instance('exited'), true],
    ['OnFailure', instance('exited'), false],
    ['OnFailure', instance('exited', 1), true],
    ['Never', instance('exited', 1), false],
  ])('%s: case %#', (policy, newest, expected) => {
    expect(shouldContainerBeRestarted(pod(policy), container, newest)).toBe(expected);
  });

  it('starts nothing in a pod that is being deleted', () => {
    expect(shouldContainerBeRestarted(pod('Always', { deletionTimestamp: '2026-01-01T00:00:00Z' }), container, undefined)).toBe(false);
  });
});

describe('newestInstance', () => {
  it('is the first container of that name', () => {
    const [second, first] = [instance('running'), instance('exited')];
    expect(newestInstance([second, first], 'main')).toBe(second);
    expect(newestInstance([second, first], 'other')).toBeUndefined();
  });
});
