import type { Event } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { newEvent } from '../recorder/new-event.js';
import { createEventCorrelator } from './correlator.js';
import { createRecent } from './recent.js';

let made = 0;
const event = (message: string, { pod = 'web', reason = 'Unhealthy', fieldPath = '', type = 'Warning' as const, now = 0 } = {}): Event =>
  newEvent({
    name: `${pod}.${++made}`,
    object: { apiVersion: 'v1', kind: 'Pod', namespace: 'prod', name: pod, uid: `u-${pod}`, ...(fieldPath && { fieldPath }) },
    type,
    reason,
    message,
    component: 'kubelet',
    nodeName: 'n1',
    now,
  });

describe('event correlator', () => {
  it('counts a repeated event in the first event of the series', () => {
    const correlator = createEventCorrelator();
    const first = correlator.correlate(event('probe failed', { now: 1000 }), 0);
    expect(first.action).toBe('create');
    const again = correlator.correlate(event('probe failed', { now: 9000 }), 8000);
    expect(again).toMatchObject({
      action: 'patch',
      patch: { count: 2, lastTimestamp: '1970-01-01T00:00:09Z', message: 'probe failed' },
      event: { firstTimestamp: '1970-01-01T00:00:01Z', lastTimestamp: '1970-01-01T00:00:09Z', count: 2 },
    });
    expect(again.action === 'patch' && first.action === 'create' && again.event.metadata.name === first.event.metadata.name).toBe(true);
  });

  it('keeps series of different containers apart', () => {
    const correlator = createEventCorrelator();
    expect(correlator.correlate(event('m', { fieldPath: 'spec.containers{a}' }), 0).action).toBe('create');
    expect(correlator.correlate(event('m', { fieldPath: 'spec.containers{b}' }), 0).action).toBe('create');
  });

  it('aggregates from the tenth different message on and counts the first nine separately', () => {
    const correlator = createEventCorrelator();
    const actions = Array.from({ length: 12 }, (_, i) => correlator.correlate(event(`m${i}`), i));
    expect(actions.map(({ action }) => action)).toEqual([...Array(10).fill('create'), 'patch', 'patch']);
    expect(actions[9]).toMatchObject({ event: { message: '(combined from similar events): m9', count: 1 } });
    expect(actions[11]).toMatchObject({ patch: { count: 3, message: '(combined from similar events): m11' } });
    expect(correlator.correlate(event('m3'), 20)).toMatchObject({ action: 'patch', patch: { count: 2, message: 'm3' } });
  });

  it('forgets similar events after a pause of more than ten minutes', () => {
    const correlator = createEventCorrelator();
    for (let i = 0; i < 9; i++) correlator.correlate(event(`m${i}`), 0);
    expect(correlator.correlate(event('late'), 600_000)).toMatchObject({ event: { message: '(combined from similar events): late' } });
    expect(correlator.correlate(event('later'), 1_200_001)).toMatchObject({ action: 'create', event: { message: 'later' } });
  });

  it('allows an object a burst of 25 events of a type and one more each five minutes', () => {
    const correlator = createEventCorrelator();
    const spend = (now: number, reason = 'BackOff') => correlator.correlate(event('m', { reason }), now).action;
    for (let i = 0; i < 25; i++) expect(spend(0, `R${i}`)).toBe('create');
    expect(spend(0)).toBe('drop');
    expect(spend(299_999)).toBe('drop');
    expect(spend(300_000)).toBe('patch');
    expect(spend(300_000)).toBe('drop');
    expect(correlator.correlate(event('m', { pod: 'other' }), 0).action).toBe('create');
  });

  it('counts what it drops', () => {
    const correlator = createEventCorrelator();
    for (let i = 0; i < 30; i++) correlator.correlate(event('m'), 0);
    expect(correlator.correlate(event('m'), 300_000)).toMatchObject({ action: 'patch', patch: { count: 31 } });
  });

  it('continues from the event that the server returned', () => {
    const correlator = createEventCorrelator();
    const first = event('m');
    correlator.correlate(first, 0);
    correlator.written({ ...first, metadata: { ...first.metadata, name: 'renamed', resourceVersion: '7' } });
    expect(correlator.correlate(event('m'), 1)).toMatchObject({ event: { metadata: { name: 'renamed', resourceVersion: '7' } } });
  });

  it('leaves an empty message out of the patch', () => {
    const correlator = createEventCorrelator();
    correlator.correlate(event(''), 0);
    expect(correlator.correlate(event(''), 0)).toMatchObject({ patch: { count: 2, lastTimestamp: '1970-01-01T00:00:00Z' } });
    const result = correlator.correlate(event(''), 0);
    expect(result.action === 'patch' && 'message' in result.patch).toBe(false);
  });

  it('starts a series again after 4096 other ones', () => {
    const correlator = createEventCorrelator();
    correlator.correlate(event('m', { pod: 'old' }), 0);
    for (let i = 0; i < 4096; i++) correlator.correlate(event('m', { pod: `p${i}` }), 0);
    expect(correlator.correlate(event('m', { pod: 'old' }), 0).action).toBe('create');
    expect(correlator.correlate(event('m', { pod: 'p4000' }), 0).action).toBe('patch');
  });
});

describe('recent values', () => {
  it('drops the least recently used value', () => {
    const recent = createRecent<number>(2);
    recent.set('a', 1);
    recent.set('b', 2);
    expect(recent.get('a')).toBe(1);
    recent.set('c', 3);
    expect([recent.get('a'), recent.get('b'), recent.get('c'), recent.size]).toEqual([1, undefined, 3, 2]);
  });
});
