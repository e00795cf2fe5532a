import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { type Batch, planBatch } from './plan-batch.js';

const batch = (spec: Partial<Batch['spec']>): Batch => ({
  apiVersion: 'example.com/v1',
  kind: 'Batch',
  metadata: { name: 'b', namespace: 'default', uid: 'u' },
  spec: { runs: 3, parallelism: 2, retries: 1, image: 'i:1', ...spec },
});
const pod = (run: number, attempt: number, phase: string): V1Pod => ({
  metadata: { labels: { 'example.com/run': `${run}`, 'example.com/try': `${attempt}` } },
  status: { phase },
});
const names = (spec: Partial<Batch['spec']>, pods: V1Pod[]) => planBatch(batch(spec), pods).create.map(({ metadata }) => metadata?.name);

describe('the plan for a batch', () => {
  it('starts as many runs as may be active', () => {
    expect(names({}, [])).toEqual(['b-0-0', 'b-1-0']);
    expect(names({ parallelism: 9 }, [])).toEqual(['b-0-0', 'b-1-0', 'b-2-0']);
    expect(names({}, [pod(0, 0, 'Pending'), pod(1, 0, 'Running')])).toEqual([]);
  });

  it('continues with the remaining runs', () => {
    expect(names({}, [pod(0, 0, 'Succeeded'), pod(1, 0, 'Running')])).toEqual(['b-2-0']);
    expect(names({}, [pod(0, 0, 'Failed'), pod(1, 0, 'Running')])).toEqual(['b-0-1']);
  });

  it('completes when all runs have succeeded', () => {
    const pods = [pod(0, 0, 'Failed'), pod(0, 1, 'Succeeded'), pod(1, 0, 'Succeeded'), pod(2, 0, 'Succeeded')];
    expect(planBatch(batch({}), pods)).toEqual({ create: [], status: { phase: 'Complete', active: 0, succeeded: 3, failed: 1 } });
  });

  it('fails when one run failed too often', () => {
    const pods = [pod(0, 0, 'Failed'), pod(0, 1, 'Failed'), pod(1, 0, 'Succeeded')];
    expect(planBatch(batch({}), pods)).toEqual({ create: [], status: { phase: 'Failed', active: 0, succeeded: 1, failed: 2 } });
  });
});
