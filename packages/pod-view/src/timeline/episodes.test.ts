import type { TimelineEntry } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { nextEpisodes, type OpenEpisodes } from './episodes.js';
import { timelineSeverity, timelineWeight } from './severity.js';

const pod = { uid: 'u', namespace: 'shop', name: 'cart' };
const entry = (kind: TimelineEntry['kind'], text: string, more: Partial<TimelineEntry> = {}): TimelineEntry => ({
  time: 0,
  kind,
  pod,
  text,
  ...more,
});
const crash = (container: string, time: number) =>
  entry('lifecycle', `container ${container} exited with 3`, { time, warning: true, fields: { event: 'ContainerDied', container } });

/** The ids of the episodes of these entries, in order. */
function episodesOf(entries: readonly TimelineEntry[]): number[] {
  let open: OpenEpisodes = [];
  return entries.map((each, index) => {
    open = nextEpisodes(open, each, index + 1);
    return open.at(-1)?.id ?? 0;
  });
}

describe('an episode', () => {
  it('is the start of a pod until its first problem', () => {
    const entries = [entry('config', 'added'), entry('event', 'Pulled'), entry('lifecycle', 'started'), entry('status', 'Running, ready')];
    expect(episodesOf([...entries, crash('main', 1_000)])).toEqual([1, 1, 1, 1, 5]);
  });

  it('is a crash with its restarts and every crash like it', () => {
    expect(
      episodesOf([
        crash('main', 0),
        entry('event', 'BackOff', { time: 1_000, warning: true }),
        entry('status', 'Running, ready', { time: 20_000 }),
        crash('main', 30_000),
        crash('proxy', 40_000),
        crash('main', 50_000),
        entry('event', 'BackOff', { time: 51_000, warning: true }),
        crash('proxy', 60_000),
      ]),
    ).toEqual([1, 1, 1, 1, 5, 1, 1, 5]);
  });

  it('ends after ten quiet minutes, and with a change by a source', () => {
    expect(episodesOf([crash('main', 0), entry('sync', 'sync', { time: 600_001 })])).toEqual([1, 2]);
    expect(episodesOf([crash('main', 0), entry('config', 'changed', { time: 1 }), crash('main', 2)])).toEqual([1, 2, 3]);
  });

  it('of the node ends after a quiet minute', () => {
    const removed = (time: number): TimelineEntry => ({ time, kind: 'gc', text: 'image was removed' });
    expect(episodesOf([removed(0), removed(60_000), removed(120_001)])).toEqual([1, 1, 3]);
  });

  it('has its worst severity', () => {
    const open = nextEpisodes([{ id: 1, severity: 'warning', lastAt: 0 }], entry('status', 'Failed', { warning: true }), 2);
    expect(open).toEqual([{ id: 1, severity: 'error', lastAt: 0 }]);
  });

  it('does not end for a pod with many different crashes, of which it keeps eight', () => {
    let open: OpenEpisodes = [];
    for (let i = 0; i < 20; i += 1) open = nextEpisodes(open, crash(`c${i}`, i), i);
    expect(open.map(({ id }) => id)).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  });
});

it.each<[TimelineEntry, string]>([
  [crash('main', 0), 'error'],
  [entry('event', 'BackOff: x', { warning: true, fields: { reason: 'BackOff' } }), 'warning'],
  [entry('event', 'Failed: x', { warning: true, fields: { reason: 'Failed' } }), 'error'],
  [entry('eviction', 'Evicted: x', { warning: true, fields: { reason: 'Evicted' } }), 'error'],
  [entry('sync', 'sync failed', { warning: true }), 'warning'],
  [entry('event', 'Failed: Error: ErrImagePull', { warning: true, fields: { reason: 'Failed' } }), 'warning'],
  [entry('probe', 'main is not ready', { fields: { result: 'Failure' } }), 'info'],
  [entry('probe', 'main fails', { warning: true, fields: { result: 'Failure' } }), 'error'],
  [entry('event', 'Started: x'), 'info'],
])('%j is an %s', (each, severity) => {
  expect(timelineSeverity(each)).toBe(severity);
});

it('describes an episode by its worst entry, and by its status if all is well', () => {
  const entries = [entry('config', 'added'), entry('status', 'Running, ready'), entry('event', 'Started')];
  const byWeight = (list: TimelineEntry[]) => [...list].sort((a, b) => timelineWeight(b) - timelineWeight(a))[0];
  expect(byWeight(entries)?.text).toBe('Running, ready');
  expect(byWeight([...entries, crash('main', 1), entry('event', 'BackOff', { warning: true })])).toMatchObject({ kind: 'lifecycle' });
});
