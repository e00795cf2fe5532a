import { describe, expect, expectTypeOf, it } from 'vitest';
import type { PathTarget } from './endpoint-path.js';
import type { MetricsPage } from './endpoints/metrics.js';
import { endpoints, type Route } from './endpoints.js';

describe('endpoints', () => {
  it('have one name and one path each', () => {
    for (const values of [endpoints.map(({ name }) => name), endpoints.map(({ path }) => path.root)]) {
      expect(values).toEqual([...new Set(values)]);
    }
  });

  it('share metric labels below the same first segment, by which metrics are counted', () => {
    const labels = new Map<string, unknown>();
    for (const { path, label, isLongRunning } of endpoints) {
      const first = path.root.split('/')[1] ?? '';
      const known = labels.get(first) ?? [label, isLongRunning];
      expect([label, isLongRunning], path.root).toEqual(known);
      labels.set(first, known);
    }
  });

  it('give a request the name and parameters of its endpoint', () => {
    expectTypeOf<Extract<Route, { name: 'exec' }>['target']>().toEqualTypeOf<PathTarget>();
    expectTypeOf<Extract<Route, { name: 'metrics' }>['page']>().toEqualTypeOf<MetricsPage>();
    expectTypeOf<Extract<Route, { name: 'version' }>>().toBeNever();
  });
});
