import { describe, expect, it } from 'vitest';
import { normalizePlatform, parsePlatform, platformOfMachine, platformText, runnablePlatforms } from './platform.js';

const texts = (os: string, architecture: string, variant?: string) =>
  runnablePlatforms({ os, architecture, ...(variant && { variant }) }).map(platformText);

describe('normalizePlatform', () => {
  it.each([
    ['x86_64', undefined, 'linux/amd64'],
    ['amd64', 'v1', 'linux/amd64'],
    ['amd64', 'v3', 'linux/amd64/v3'],
    ['aarch64', 'v8', 'linux/arm64'],
    ['arm64', '8', 'linux/arm64'],
    ['arm', undefined, 'linux/arm/v7'],
    ['arm', '6', 'linux/arm/v6'],
    ['armhf', undefined, 'linux/arm/v7'],
    ['armel', 'v8', 'linux/arm/v6'],
    ['riscv64', undefined, 'linux/riscv64'],
  ])('spells %s %s as %s', (architecture, variant, text) => {
    expect(platformText(normalizePlatform({ os: 'Linux', architecture, ...(variant && { variant }) }))).toBe(text);
  });
});

describe('runnablePlatforms', () => {
  it('orders the platforms of a machine, the best first', () => {
    expect(texts('linux', 'amd64')).toEqual(['linux/amd64', 'linux/386']);
    expect(texts('linux', 'amd64', 'v3')).toEqual(['linux/amd64/v3', 'linux/amd64/v2', 'linux/amd64', 'linux/386']);
    expect(texts('linux', 'arm', 'v6')).toEqual(['linux/arm/v6', 'linux/arm/v5']);
    expect(texts('linux', 'arm64')).toEqual(['linux/arm64', 'linux/arm/v8', 'linux/arm/v7', 'linux/arm/v6', 'linux/arm/v5']);
    expect(texts('linux', 'arm64', 'v9').slice(0, 3)).toEqual(['linux/arm64/v9', 'linux/arm64', 'linux/arm/v8']);
    expect(texts('linux', 's390x')).toEqual(['linux/s390x']);
  });
});

it('names the platform of a machine as Go does', () => {
  expect(platformText(platformOfMachine('linux', 'x64'))).toBe('linux/amd64');
  expect(platformText(platformOfMachine('linux', 'arm', '6'))).toBe('linux/arm/v6');
  expect(platformText(platformOfMachine('win32', 'ia32'))).toBe('windows/386');
});

it('reads the text of a platform', () => {
  expect(['linux/arm64/v8', 'Linux/x86_64', 'linux/arm/7'].map((text) => parsePlatform(text))).toEqual([
    { os: 'linux', architecture: 'arm64' },
    { os: 'linux', architecture: 'amd64' },
    { os: 'linux', architecture: 'arm', variant: 'v7' },
  ]);
  expect(['linux', '', 'linux/', 'linux/arm/v7/x', 'a b/c'].map(parsePlatform)).toEqual(Array(5).fill(undefined));
});
