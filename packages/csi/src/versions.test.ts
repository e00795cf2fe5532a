import { describe, expect, it } from 'vitest';
import { chooseCsiVersion, formatCsiVersion, isLowerCsiVersion } from './versions.js';

const choose = (versions: string[], existing?: string) =>
  formatCsiVersion(chooseCsiVersion(versions, existing === undefined ? undefined : chooseCsiVersion([existing])));

describe('chooseCsiVersion', () => {
  it('chooses the highest 1.x and skips invalid versions', () => {
    expect(choose(['0.3.0', '1.2.0', 'v1.10.1-rc2', '2.0.0', 'junk', '3', '01.9.9'])).toBe('1.10.1');
    expect(choose(['1.0', '1.0.0'])).toBe('1.0.0');
  });

  it('rejects drivers without a supported version', () => {
    expect(() => choose([])).toThrow('Plugin returned an empty list for supported versions');
    expect(() => choose(['2.0.0', 'x'])).toThrow('None of the versions specified ["2.0.0" "x"] are supported. err=');
    expect(() => choose(['0.3.0'])).toThrow('is no longer supported: "0.3.0"');
    expect(() => choose([`1.${2n ** 64n}`])).toThrow('None of the versions');
  });

  it('rejects a second driver of the same name unless its version is higher', () => {
    expect(choose(['1.3.0'], '1.2.9')).toBe('1.3.0');
    for (const existing of ['1.3.0', '1.4.0']) {
      expect(() => choose(['1.3.0'], existing)).toThrow(
        `Another driver with the same name is already registered with a higher supported version: "${existing}"`,
      );
    }
  });

  it('counts missing components as zero', () => {
    expect(isLowerCsiVersion([1n], [1n, 0n])).toBe(false);
    expect(isLowerCsiVersion([1n], [1n, 0n, 1n])).toBe(true);
  });
});
