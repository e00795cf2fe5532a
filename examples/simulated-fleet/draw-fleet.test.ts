import { expect, it } from 'vitest';
import { drawFleet, legend } from './draw-fleet.js';

it('draws the nodes on an axis, in rows that begin with the number of a node', () => {
  const nodes = Array.from({ length: 25 }, (_, index) => ({ share: index / 24, isUnderPressure: index === 12 }));
  expect(drawFleet(nodes, 20)).toEqual(['node    1         11', '      1  ▁▁▁▂▂▂▃▃▃▄▄~▅▅▅▆▆▆▇', '     21 ▇▇███']);
});

it('explains its characters', () => {
  expect(legend(4)).toBe('running pods of a node: blank 0, ▂ 1, ▄ 2, █ 4 or more; ~ memory pressure');
});
