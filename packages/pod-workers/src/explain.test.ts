import type { PodWorkerNotes } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { explainWorker } from './explain.js';
import { newRecord, type PodWorkerRecord } from './record.js';

const now = 100_000;
const summary = (notes: PodWorkerNotes, state: Partial<PodWorkerRecord> = {}) =>
  explainWorker({ ...newRecord('web_ns', 0), ...state }, notes, now).summary;
const lastSync = { work: 'SyncPod', updateType: 'create', startedAt: 98_500 } as const;

describe('explainWorker', () => {
  it('reports what a worker waits for', () => {
    expect(summary({ waitingFor: 'runtimeStatus' })).toBe('Waiting for a runtime status newer than the last sync.');
    expect(summary({ waitingFor: 'turn' })).toBe('Waiting until an earlier static pod with the same name has terminated.');
    expect(summary({ waitingFor: 'sync', lastSync })).toBe('Syncing the pod, since 1.5 s.');
    expect(summary({ waitingFor: 'sync', lastSync }, { terminatingAt: 1 })).toBe('Stopping the containers, since 1.5 s.');
    expect(summary({ waitingFor: 'sync', lastSync }, { terminatedAt: 1 })).toBe(
      'Releasing the resources of the terminated pod, since 1.5 s.',
    );
  });

  it('reports the outcome of the last sync and the time of the next', () => {
    expect(summary({})).toBe('Not synced yet.');
    expect(summary({ lastSync, nextRetryAt: now + 61_000 })).toBe('The last sync succeeded. Next sync in 61.0 s.');
    expect(summary({ lastSync: { ...lastSync, error: 'no image' }, nextRetryAt: now - 5 })).toBe(
      'The last sync failed: no image. Next sync in 0.0 s.',
    );
    expect(summary({ lastSync }, { finished: true })).toBe('The pod has terminated and its resources are released.');
  });

  it('reports the reasons for the actions of the last sync', () => {
    const reasons = [
      { action: 'createSandbox', target: '', reason: 'the sandbox is not ready' },
      { action: 'start', target: 'main', reason: 'the sandbox is new' },
    ] as const;
    const keep = [{ action: 'keep', target: 'main', reason: 'it runs as specified' }] as const;
    const steps = 'create a sandbox (the sandbox is not ready), start main (the sandbox is new)';
    expect(summary({ lastSync: { ...lastSync, reasons, error: 'no address' }, nextRetryAt: now + 10_000 })).toBe(
      `The last sync failed: no address. It was to ${steps}. Next sync in 10.0 s.`,
    );
    expect(summary({ lastSync: { ...lastSync, reasons: keep }, lastChange: { ...lastSync, reasons, endedAt: 99_000 } })).toBe(
      `The last sync succeeded. The last change was 1.0 s ago: ${steps}.`,
    );
    expect(summary({ lastSync: { ...lastSync, reasons: keep, error: 'no' } })).toBe('The last sync failed: no.');
  });

  it('reports the grace period only of a terminating pod', () => {
    expect(explainWorker(newRecord('web_ns', 0), {}, now)).not.toHaveProperty('gracePeriod');
    expect(explainWorker({ ...newRecord('web_ns', 0), gracePeriod: 5, terminatingAt: 1 }, {}, now)).toMatchObject({
      gracePeriod: 5,
      state: 'TerminatingPod',
    });
  });
});
