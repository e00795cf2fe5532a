import { expect, it } from 'vitest';
import { type Amount, formatBytes, formatCpu, formatResource } from './format-resources.js';

it.each<[Amount, string]>([
  [0, '0 B'],
  ['0', '0 B'],
  [512, '512 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  ['1536Mi', '1.5 GiB'],
  ['1500Mi', '1.46 GiB'],
  ['1G', '954 MiB'],
  ['128974848', '123 MiB'],
  ['1023.9Mi', '1 GiB'],
  [2n ** 40n, '1 TiB'],
  ['8Ei', '8 EiB'],
  ['1e3', '1000 B'],
  [-2048, '-2 KiB'],
])('formats %s bytes as %s', (amount, text) => {
  expect(formatBytes(amount)).toBe(text);
});

it.each<[Amount, string]>([
  ['250m', '0.25 CPUs'],
  ['1', '1 CPU'],
  ['1000m', '1 CPU'],
  ['1500m', '1.5 CPUs'],
  [0.1, '0.1 CPUs'],
  [0, '0 CPUs'],
  ['12345678n', '0.012 CPUs'],
  ['100n', '< 0.001 CPUs'],
  ['3333m', '3.33 CPUs'],
  [128, '128 CPUs'],
])('formats %s CPUs as %s', (amount, text) => {
  expect(formatCpu(amount)).toBe(text);
});

it.each([
  ['cpu', '2', '2 CPUs'],
  ['memory', '64Mi', '64 MiB'],
  ['ephemeral-storage', '2Gi', '2 GiB'],
  ['hugepages-2Mi', '4Mi', '4 MiB'],
  ['nvidia.com/gpu', '2', '2'],
  ['pods', '1k', '1000'],
])('formats %s of %s as %s', (name, amount, text) => {
  expect(formatResource(name, amount)).toBe(text);
});

it('rejects what is no quantity', () => {
  expect(() => formatBytes('1.5 GB')).toThrow(expect.objectContaining({ code: 'InvalidQuantity' }));
});
