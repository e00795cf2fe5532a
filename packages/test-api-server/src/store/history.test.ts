import { describe, expect, it, vi } from 'vitest';
import { History } from './history.js';
import type { StoreEvent } from './store-event.js';

const event = (revision: number) => ({ type: 'ADDED', storage: '/pods', revision }) as StoreEvent;
const late = (from: number, to: number) => ({
  revision: to,
  count: to - from + 1,
  make: () => Array.from({ length: to - from + 1 }, (_, index) => event(from + index)),
});
const since = (history: History, revision: number) => history.since(revision)?.map((each) => each.revision);

describe('a history', () => {
  it('makes late changes only for those who need them', () => {
    const history = new History(10);
    const changes = late(2, 4);
    const make = vi.fn(changes.make);
    history.add(event(1));
    history.add({ ...changes, make });
    history.add(event(5));
    expect(since(history, 4)).toEqual([5]);
    expect(make).not.toHaveBeenCalled();
    expect(since(history, 0)).toEqual([1, 2, 3, 4, 5]);
    expect(since(history, 3)).toEqual([4, 5]);
  });

  it('drops old changes, and late ones only as a whole', () => {
    const history = new History(3);
    for (let revision = 1; revision <= 7; revision++) history.add(event(revision));
    expect([history.forgotten, since(history, 3), since(history, 4)]).toEqual([4, undefined, [5, 6, 7]]);
    history.add(late(8, 20));
    expect([history.forgotten, since(history, 7)?.length]).toEqual([7, 13]);
    for (let revision = 21; revision <= 22; revision++) history.add(event(revision));
    expect([history.forgotten, since(history, 19)]).toEqual([7, [20, 21, 22]]);
    history.add(event(23));
    expect([history.forgotten, since(history, 20)]).toEqual([20, [21, 22, 23]]);
  });

  it('forgets all changes', () => {
    const history = new History(3);
    history.add(event(1));
    history.forget(1);
    expect([since(history, 0), since(history, 1)]).toEqual([undefined, []]);
  });
});
