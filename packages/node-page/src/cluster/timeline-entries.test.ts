import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import type { ClusterPageChange } from './options.js';
import { timelineEntries } from './timeline-entries.js';

const now = 1_000;
const changed = (resource: string, object: unknown, previous?: unknown): ClusterPageChange => ({
  type: previous === undefined ? 'ADDED' : 'MODIFIED',
  resource,
  object: object as KubeObject,
  ...(previous !== undefined && { previous: previous as KubeObject }),
});
const textsOf = (...args: Parameters<typeof changed>) =>
  timelineEntries(changed(...args), now).map(({ text, warning }) => `${warning ? 'warning' : 'info'} ${text}`);

describe('a pod', () => {
  const metadata = { uid: 'u1', namespace: 'shop', name: 'web' };
  const terminated = (exitCode: number, finishedAt = '2026-01-01T00:00:00Z') => ({
    terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt },
  });
  const pod = (state: object, more: object = {}, phase = 'Running') => ({
    metadata: { ...metadata, ...more },
    status: { phase, containerStatuses: [{ name: 'main', ...state }] },
  });

  it('has an entry for each termination of a container, once', () => {
    const running = pod({ state: { running: {} } });
    const crashed = pod({ state: terminated(3) });
    const waiting = pod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: terminated(3) });
    expect(timelineEntries(changed('pods', crashed, running), now)).toEqual([
      {
        ...{ time: now, kind: 'lifecycle', pod: metadata, text: 'container main exited with 3 (Error)', warning: true },
        fields: { event: 'ContainerDied', container: 'main', exitCode: 3 },
      },
    ]);
    expect(textsOf('pods', waiting, crashed)).toEqual([]);
    expect(textsOf('pods', pod({ state: terminated(3, '2026-01-01T00:01:00Z') }), waiting)).toHaveLength(1);
  });

  it('has no warning for a success, and for containers of a pod that is being deleted', () => {
    const running = pod({ state: { running: {} } });
    expect(textsOf('pods', pod({ state: terminated(0) }), running)).toEqual(['info container main exited with 0']);
    const deleted = pod({ state: terminated(143) }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(textsOf('pods', deleted, running)).toEqual(['info container main exited with 143 (Error)']);
  });

  it('has an entry for a change of its phase, a warning if it failed', () => {
    const of = (phase: string, reason?: string) => ({ metadata, status: { phase, ...(reason && { reason, message: 'low on memory' }) } });
    expect(textsOf('pods', of('Pending'))).toEqual([]);
    expect(textsOf('pods', of('Running'), of('Pending'))).toEqual(['info phase Running']);
    expect(textsOf('pods', of('Failed', 'Evicted'), of('Running'))).toEqual(['warning phase Failed: Evicted: low on memory']);
  });
});

it('a node has an entry for a changed condition, a warning for one that is not good', () => {
  const node = (ready: string, pressure = 'False') => ({
    metadata: { name: 'node-1' },
    status: {
      conditions: [
        { type: 'Ready', status: ready, reason: 'Because', message: 'it is' },
        { type: 'MemoryPressure', status: pressure },
      ],
    },
  });
  expect(textsOf('nodes', node('True'))).toEqual([]);
  expect(textsOf('nodes', node('Unknown'), node('True'))).toEqual(['warning Ready=Unknown: Because: it is']);
  expect(textsOf('nodes', node('True'), node('Unknown'))).toEqual(['info Ready=True: Because: it is']);
  expect(timelineEntries(changed('nodes', node('True', 'True'), node('True')), now)).toEqual([
    { time: now, kind: 'node', text: 'MemoryPressure=True', warning: true, fields: { subject: 'node-1' } },
  ]);
});

it('an event is an entry about its pod, or about its subject', () => {
  const event = (kind: string, type: string) => ({
    ...{ reason: 'BackOff', message: 'restarting', type },
    involvedObject: { kind, namespace: 'shop', name: 'web', uid: 'u1' },
  });
  const entryOf = (object: object) => timelineEntries(changed('events', object), now)[0];
  expect(entryOf(event('Pod', 'Warning'))).toEqual({
    ...{ time: now, kind: 'event', text: 'BackOff: restarting', warning: true },
    ...{ pod: { uid: 'u1', namespace: 'shop', name: 'web' }, fields: { reason: 'BackOff' } },
  });
  expect(entryOf(event('Node', 'Normal'))).toMatchObject({ fields: { subject: 'web' } });
  expect(entryOf(event('Deployment', 'Normal'))).toMatchObject({ fields: { subject: 'Deployment web' } });
});

it('removed objects and those of other kinds have no entries', () => {
  const event = { reason: 'BackOff', involvedObject: { kind: 'Pod' } } as unknown as KubeObject;
  expect(timelineEntries({ type: 'DELETED', resource: 'events', object: event }, now)).toEqual([]);
  expect(textsOf('configmaps', { metadata: { name: 'c' } })).toEqual([]);
});
