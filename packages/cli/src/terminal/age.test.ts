import { expect, it } from 'vitest';
import { formatAge } from './age.js';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

it.each([
  [-5 * second, '0s'],
  [42 * second, '42s'],
  [119 * second, '119s'],
  [3 * minute + 12 * second, '3m12s'],
  [4 * minute, '4m'],
  [17 * minute + 30 * second, '17m'],
  [2 * hour + 5 * minute, '125m'],
  [5 * hour + 5 * minute, '5h5m'],
  [26 * hour, '26h'],
  [3 * day + 4 * hour, '3d4h'],
  [41 * day, '41d'],
])('%i ms is %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});
