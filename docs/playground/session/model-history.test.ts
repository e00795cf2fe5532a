import { expect, it } from 'vitest';
import { ModelHistory } from './model-history.js';

const model = (name: string) => ({
  nodes: [{ name, level: 'good' as const, status: 'Ready', isUp: true, isPartitioned: false }],
  pods: [],
  workloads: [],
});
const nameAt = (history: ModelHistory, at: number) => history.until(at)?.nodes[0]?.name;

it('has the last model until a time, and forgets later ones', () => {
  const history = new ModelHistory();
  for (const at of [10, 20, 20, 30]) history.add(at, model(`${at}`));
  expect([5, 10, 19, 20, 99].map((at) => nameAt(history, at))).toEqual([undefined, '10', '10', '20', '30']);
  history.truncate(25);
  expect(nameAt(history, 99)).toBe('20');
});

it('becomes coarser instead of large', () => {
  const history = new ModelHistory();
  for (let at = 0; at < 50_000; at++) history.add(at, model(`${at}`));
  expect(nameAt(history, 49_999)).toBe('49999');
  expect(Number(nameAt(history, 10_000))).toBeGreaterThan(9_990);
});
