import { expect, it } from 'vitest';
import { formatAge } from './format-age.js';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

it.each([
  [-2 * second, '<invalid>'],
  [-second, '0s'],
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + second, '2m1s'],
  [10 * minute + second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + minute, '3h1m'],
  [8 * hour + minute, '8h'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [2 * day + hour, '2d1h'],
  [8 * day + hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [731 * day, '2y1d'],
  [3_000 * day, '8y'],
  [500_000 * day, '292y'],
])('prints %i ms as %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});
