import { describe, expect, it } from 'vitest';
import { endpoints } from './endpoints.js';

describe('endpoints', () => {
  it('have one name and one path each', () => {
    for (const values of [endpoints.map(({ name }) => name), endpoints.map(({ path }) => path.root)]) {
      expect(values).toEqual([...new Set(values)]);
    }
  });

  it('share metrics labels below the same first segment, as metrics count by that', () => {
    const labels = new Map<string, unknown>();
    for (const { path, label, isLongRunning } of endpoints) {
      const first = path.root.split('/')[1] ?? '';
      const known = labels.get(first) ?? [label, isLongRunning];
      expect([label, isLongRunning], path.root).toEqual(known);
      labels.set(first, known);
    }
  });
});
