import { expect, it } from 'vitest';
import { hostImageId, isHostImage } from './host-image.js';

it.each([
  ['host', true],
  ['host:latest', true],
  ['host:anything_1.2-3', true],
  ['localhost/host:1', true],
  ['library/host', true],
  ['docker.io/host', true],
  ['docker.io/library/host:1', true],
  [hostImageId, true],
  [hostImageId.slice('sha256:'.length), true],
  [`host@${hostImageId}`, true],
  ['', false],
  ['host:', false],
  ['host:a b', false],
  ['hosts', false],
  ['Host', false],
  ['nginx', false],
  ['example.org/host', false],
  ['localhost:5000/host', false],
  ['host/host', false],
  [`host@sha256:${'0'.repeat(64)}`, false],
  [`host@${hostImageId}@${hostImageId}`, false],
])('%j is the host image: %j', (reference, expected) => {
  expect(isHostImage(reference)).toBe(expected);
});

it('has a constant id', () => {
  expect(hostImageId).toMatch(/^sha256:[0-9a-f]{64}$/);
});
