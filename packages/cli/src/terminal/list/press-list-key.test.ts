import { describe, expect, it } from 'vitest';
import { podColumnsLayout } from '../table.js';
import type { ListModel, ListRow } from './list-model.js';
import { sortByHealth, sortByName, sortByNumber } from './list-model.js';
import { arrangeRows, initialListState, type ListState, selectedIndex } from './list-state.js';
import { pressListKey } from './press-list-key.js';

const row = (name: string, health: ListRow['health'], restarts?: number): ListRow => ({
  key: name,
  cells: { name, ready: '1/1', status: health === 'good' ? 'Running' : 'Error', restarts: '0', age: '1s', lastEvent: '-' },
  health,
  numbers: restarts === undefined ? {} : { restarts },
  explain: () => '',
  ...(name !== 'manifest.yaml' && { pod: { namespace: 'default', name } }),
});
const model = (...rows: ListRow[]): ListModel => ({
  kind: { layout: podColumnsLayout, sorts: [sortByHealth, sortByName, sortByNumber('restarts')] },
  title: 'node n1',
  header: [],
  rows,
  notes: [],
});
const five = model(row('a', 'good', 3), row('b', 'waiting'), row('c', 'good', 7), row('d', 'bad', 1), row('manifest.yaml', 'bad'));

/** The state after the keys, and the last action. */
function press(keys: readonly string[], given: ListModel = five, from: ListState = initialListState) {
  let state = from;
  let action: ReturnType<typeof pressListKey>['action'];
  for (const key of keys) ({ state, action } = pressListKey(state, key, given, 2));
  const arranged = arrangeRows(given, state);
  return { state, action, order: arranged.map(({ key }) => key).join(' '), selected: arranged[selectedIndex(arranged, state)]?.key };
}

describe('the order of the rows', () => {
  it.each([
    [[], 'd manifest.yaml b a c'],
    [['s'], 'a b c d manifest.yaml'],
    [['s', 's'], 'c a d b manifest.yaml'],
    [['s', 's', 's'], 'd manifest.yaml b a c'],
  ])('after %j is %s', (keys, order) => {
    expect(press(keys).order).toBe(order);
  });
});

describe('the selected row', () => {
  it.each([
    [[], 'd'],
    [['down'], 'manifest.yaml'],
    [['j', 'j', 'k'], 'manifest.yaml'],
    [['up'], 'd'],
    [['end'], 'c'],
    [['end', 'down'], 'c'],
    [['end', 'home'], 'd'],
    [['pageDown'], 'b'],
    [['pageDown', 'pageDown', 'pageUp'], 'b'],
    // It stays selected in another order.
    [['down', 'down', 's'], 'b'],
  ])('after %j is %s', (keys, selected) => {
    expect(press(keys).selected).toBe(selected);
  });

  it('follows its pod when the order of the rows changes', () => {
    const { state } = press(['end']);
    expect(press([], model(row('c', 'bad'), row('a', 'bad')), state).selected).toBe('c');
  });

  it('is the one at the same place when its pod is removed', () => {
    const { state } = press(['down']);
    const without = five.rows.filter(({ key }) => key !== 'manifest.yaml');
    expect(press([], model(...without), state).selected).toBe('b');
    expect(press([], model(row('a', 'good')), state).selected).toBe('a');
    expect(press([], model(), state).selected).toBeUndefined();
  });
});

describe('an action', () => {
  it.each([
    [['enter'], { type: 'describe', row: expect.objectContaining({ key: 'd' }) }],
    [['l'], { type: 'logs', row: expect.objectContaining({ key: 'd' }) }],
    [['down', 'down', 'e'], { type: 'exec', row: expect.objectContaining({ key: 'b' }) }],
    [['q'], { type: 'quit' }],
    [['interrupt'], { type: 'quit' }],
    // A rejected manifest is described, but has no container.
    [['down', 'enter'], { type: 'describe', row: expect.objectContaining({ key: 'manifest.yaml' }) }],
    [['down', 'l'], undefined],
    [['down', 'e'], undefined],
    [['x'], undefined],
    // The first key ends the help, Ctrl-C quits everywhere.
    [['?', 'q'], undefined],
    [['?', 'q', 'q'], { type: 'quit' }],
    [['/', 'q'], undefined],
    [['/', 'interrupt'], { type: 'quit' }],
  ])('of %j is %j', (keys, action) => {
    expect(press(keys).action).toEqual(action);
  });

  it('needs a row', () => {
    expect(press(['enter'], model()).action).toBeUndefined();
  });
});

describe('the filter', () => {
  it.each([
    [['/', 'y', 'a', 'm', 'l'], 'manifest.yaml'],
    // Any column counts, in upper and lower case.
    [['/', 'r', 'u', 'n', 'enter'], 'a c'],
    [['/', 'r', 'x', 'backspace', 'u', 'n', 'enter', 's'], 'a c'],
    [['/', 'r', 'u', 'n', 'enter', 'escape'], 'd manifest.yaml b a c'],
    [['/', 'r', 'u', 'n', 'escape'], 'd manifest.yaml b a c'],
    [['/', 'z'], ''],
  ])('after %j leaves %j', (keys, order) => {
    expect(press(keys).order).toBe(order);
  });
});
