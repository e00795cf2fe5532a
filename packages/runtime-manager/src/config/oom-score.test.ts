import type { Container, Pod, PodSpec } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { oomScoreAdjust } from './oom-score.js';

const container = (requests?: Record<string, string>, limits?: Record<string, string>, more: Partial<Container> = {}): Container => ({
  name: 'c',
  resources: { requests, limits },
  ...more,
});
const pod = (spec: Partial<PodSpec>): Pod => ({ spec: { containers: [], ...spec } });
const sidecar = { restartPolicy: 'Always' };

describe('oom_score_adj', () => {
  const gi = 1n << 30n;
  it('grows from critical pods to BestEffort', () => {
    const burstable = container({ memory: '1Gi' });
    expect(oomScoreAdjust(pod({ containers: [burstable] }), burstable, 4n * gi)).toBe(750);
    expect(oomScoreAdjust(pod({ containers: [container()] }), container(), 4n * gi)).toBe(1000);
    const critical = pod({ containers: [burstable], priority: 2_000_001_000, priorityClassName: 'system-node-critical' });
    expect(oomScoreAdjust(critical, burstable, 4n * gi)).toBe(-997);
  });

  it('is above Guaranteed and below BestEffort for Burstable', () => {
    const tiny = container({ memory: '1' });
    const huge = container({ memory: '4Gi' });
    expect(oomScoreAdjust(pod({ containers: [tiny] }), tiny, 4n * gi)).toBe(999);
    expect(oomScoreAdjust(pod({ containers: [huge] }), huge, 4n * gi)).toBe(3);
  });

  it('does not exceed the lowest score of the regular containers for a sidecar', () => {
    const proxy = container({ memory: '64Mi' }, undefined, { name: 'proxy', ...sidecar });
    const main = container({ memory: '2Gi' }, undefined, { name: 'main' });
    expect(oomScoreAdjust(pod({ containers: [main], initContainers: [proxy] }), proxy, 4n * gi)).toBe(500);
  });

  it('rejects a node without memory', () => {
    expect(() => oomScoreAdjust(pod({}), container(), 0)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
    expect(() => oomScoreAdjust(pod({}), container(), Number.NaN)).toThrow('memoryCapacity must be a positive integer, got NaN');
  });
});
