import { describe, expect, it } from 'vitest';
import { scheduleText } from './disturbance.js';
import { disturbancesAt } from './disturbances-at.js';
import type { Operation } from './operation.js';
import type { Delivery } from './watch-gate.js';

const operation = (index: number, verb: string, resource: string, more: Partial<Operation> = {}): Operation => ({
  index,
  verb,
  resource,
  at: 0,
  instance: 1,
  anyVersion: false,
  revision: index,
  ...more,
});
const event = (after: number, resource: string, at = 0): Delivery => ({ after, resource, at });
const texts = (operations: Operation[], deliveries: Delivery[] = []) =>
  disturbancesAt({ operations, deliveries }).map((each) => scheduleText([each]));

describe('disturbances of a run', () => {
  it('are a crash at each write, and at each read that is after a change or later', () => {
    const operations = [
      operation(1, 'list', 'pods', { revision: 5 }),
      operation(2, 'watch', 'pods', { revision: 5 }),
      operation(3, 'create', 'pods', { revision: 5 }),
      operation(4, 'get', 'pods', { revision: 6 }),
      operation(5, 'get', 'pods', { revision: 6, at: 1 }),
    ];
    const crashes = texts(operations).filter((text) => text.startsWith('crash'));
    expect(crashes).toEqual(['crash@1', 'crash@3', 'crash@4', 'crash@5']);
  });

  it('are a stale start only for informers that accept an old list', () => {
    const list = operation(1, 'list', 'pods');
    const write = operation(2, 'create', 'pods');
    expect(texts([list, write])).not.toContain('crash-stale@2');
    expect(texts([{ ...list, anyVersion: true }, write])).toContain('crash-stale@2');
  });

  it('are a conflict only where an object exists, and a lag for each watched resource', () => {
    const watches = [operation(1, 'watch', 'pods'), operation(2, 'watch', 'jobs.batch')];
    const create = texts([...watches, operation(3, 'create', 'pods')], [event(3, 'pods'), event(3, 'jobs.batch')]);
    expect(create).not.toContain('conflict@3');
    const expected = ['lag@3', 'lag@3:pods', 'lag@3:jobs.batch', 'miss@3:pods', 'reorder@3:pods', 'reorder@3:jobs.batch'];
    expect(create).toEqual(expect.arrayContaining(expected));
    expect(texts([operation(1, 'update', 'pods')])).toContain('conflict@1');
  });

  it('are a lag only where an event follows within it, and once for the same events', () => {
    const operations = [operation(1, 'watch', 'pods'), operation(2, 'create', 'pods'), operation(3, 'create', 'pods')];
    const lags = (deliveries: Delivery[]) => texts(operations, deliveries).filter((text) => text.startsWith('lag'));
    expect(lags([])).toEqual([]);
    expect(lags([event(3, 'pods')])).toEqual(['lag@2']);
    expect(lags([event(2, 'pods'), event(3, 'pods')])).toEqual(['lag@2', 'lag@3']);
    expect(lags([event(3, 'pods', 60_000)])).toEqual([]);
  });
});
