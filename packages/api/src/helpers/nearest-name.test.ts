import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.js';

it.each([
  ['imagePulPolicy', 'imagePullPolicy'],
  ['containerport', 'containerPort'],
  ['imageName', undefined],
  ['nmae', 'name'],
  ['neam', undefined],
  ['nam', 'name'],
  ['x'.repeat(65), undefined],
])('takes %s for %s', (name, meant) => {
  expect(nearestName(name, ['name', 'image', 'imagePullPolicy', 'containerPort'])).toBe(meant);
});

it('corrects a command', () => {
  const commands = ['run', 'runtime', 'version'];
  expect(nearestName('ruin', commands)).toBe('run');
  expect(nearestName('runtme', commands)).toBe('runtime');
  expect(nearestName('xyz', commands)).toBeUndefined();
});
