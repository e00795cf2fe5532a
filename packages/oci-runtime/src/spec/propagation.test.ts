import type { Mount } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import { checkPropagation, rootPropagation } from './propagation.js';

const data: Mount = { containerPath: '/data', hostPath: '/host/data' };

it('propagates the root file system as its mounts need', () => {
  expect(rootPropagation([data])).toBeUndefined();
  expect(rootPropagation([data, { ...data, propagation: 'PROPAGATION_HOST_TO_CONTAINER' }])).toBe('rslave');
  expect(rootPropagation([{ propagation: 'PROPAGATION_HOST_TO_CONTAINER' }, { propagation: 'PROPAGATION_BIDIRECTIONAL' }])).toBe('rshared');
});

describe('checkPropagation', () => {
  const mountinfo = [
    '20 1 8:1 / / rw,relatime - ext4 /dev/vda rw',
    '21 20 0:5 / /shared rw shared:1 - tmpfs tmpfs rw',
    '22 20 0:6 / /slave rw master:1 - tmpfs tmpfs rw',
    '23 20 0:7 / /with\\040space rw shared:3 - tmpfs tmpfs rw',
    '19 20 0:9 / /shared/private/deep rw shared:4 - tmpfs tmpfs rw',
    '24 21 0:8 / /shared/private rw - tmpfs shared:9 rw',
    '',
  ].join('\n');
  const [toContainer, both] = ['PROPAGATION_HOST_TO_CONTAINER', 'PROPAGATION_BIDIRECTIONAL'] as const;

  it.each([
    ['/shared', both],
    ['/shared/a/b', toContainer],
    ['/slave/a', toContainer],
    ['/shared/private/deep/x', both],
    ['/with space/a', both],
    ['/data', 'PROPAGATION_PRIVATE'],
  ] as const)('lets %s have %s', (source, propagation) => {
    expect(() => checkPropagation(source, propagation, mountinfo)).not.toThrow();
  });

  it.each([
    ['/data', toContainer, 'path "/data" is mounted on "/" but it is not a shared or slave mount'],
    ['/slave/a', both, 'path "/slave/a" is mounted on "/slave" but it is not a shared mount'],
    ['/shared/private/x', both, 'is mounted on "/shared/private" but'],
    ['/sharedx', both, 'is mounted on "/" but'],
  ] as const)('refuses %s with %s', (source, propagation, message) => {
    expect(() => checkPropagation(source, propagation, mountinfo)).toThrow(message);
  });

  it('counts the last of several mounts at a path', () => {
    const covered = `${mountinfo}25 20 0:9 / /shared rw - tmpfs tmpfs rw\n`;
    expect(() => checkPropagation('/shared/a', both, covered)).toThrow('is mounted on "/shared" but');
  });
});
