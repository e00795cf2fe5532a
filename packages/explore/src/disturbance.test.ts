import { describe, expect, it } from 'vitest';
import { disturbancesAt, parseSchedule, scheduleText } from './disturbance.js';
import type { Operation } from './operation.js';

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
const texts = (operations: Operation[]) => disturbancesAt(operations).map((each) => scheduleText([each]));

describe('disturbances of a run', () => {
  it('are a crash at each write, and at a read after a change', () => {
    const operations = [
      operation(1, 'list', 'pods', { revision: 5 }),
      operation(2, 'watch', 'pods', { revision: 5 }),
      operation(3, 'create', 'pods', { revision: 5 }),
      operation(4, 'get', 'pods', { revision: 6 }),
    ];
    expect(texts(operations).filter((text) => text.startsWith('crash'))).toEqual(['crash@1', 'crash@3', 'crash@4']);
  });

  it('are a stale start only for informers that accept an old list', () => {
    const list = operation(1, 'list', 'pods');
    const write = operation(2, 'create', 'pods');
    expect(texts([list, write])).not.toContain('crash-stale@2');
    expect(texts([{ ...list, anyVersion: true }, write])).toContain('crash-stale@2');
  });

  it('are a conflict only where an object exists, and a lag for each watched resource', () => {
    const watches = [operation(1, 'watch', 'pods'), operation(2, 'watch', 'jobs.batch')];
    const create = texts([...watches, operation(3, 'create', 'pods')]);
    expect(create).not.toContain('conflict@3');
    expect(create).toEqual(expect.arrayContaining(['lag@3', 'lag@3:pods', 'lag@3:jobs.batch', 'miss@3:pods']));
    expect(texts([operation(1, 'update', 'pods')])).toContain('conflict@1');
  });
});

describe('texts of schedules', () => {
  it.each(['undisturbed', 'crash@12', 'crash@12+lag@14:jobs.batch'])('reads back %s', (text) =>
    expect(scheduleText(parseSchedule(text))).toBe(text),
  );

  it.each(['', 'crash', 'crash@0', 'flood@3', 'crash@1+', 'toString@1'])('rejects %j', (text) =>
    expect(() => parseSchedule(text)).toThrow('schedule'),
  );
});
