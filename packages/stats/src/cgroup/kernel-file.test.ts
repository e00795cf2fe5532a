import { describe, expect, it } from 'vitest';
import { countLines, decimalAt, kernelFile, keyedValues, keysOf, numberAt, singleValue, unlimited } from './kernel-file.js';

describe('numbers of kernel files', () => {
  it.each([
    ['0\n', 0n],
    ['123456789012345\n', 123_456_789_012_345n],
    ['9007199254740993\n', 9_007_199_254_740_993n],
    ['18446744073709551615\n', unlimited],
    ['max\n', unlimited],
  ])('%j is exact', (text, value) => expect(singleValue(kernelFile(text))).toBe(value));

  it.each(['', '\n', '12', 'ma', 'x1\n', '-1\n', '12x\n'])('%j is no number, or may be cut off', (text) =>
    expect(singleValue(kernelFile(text))).toBeUndefined(),
  );

  it('ignores what an earlier file left in the buffer behind the end', () => {
    const { bytes } = kernelFile('123456\n');
    expect(singleValue({ bytes, length: 3 })).toBeUndefined();
  });

  it('reads the first number of a line', () => expect(numberAt(kernelFile('a 17 18\n'), 2)).toBe(17n));

  it.each([
    ['84.68 ', 84.68],
    ['0.00\n', 0],
    ['100 ', 100],
    ['1.', undefined],
    ['1.25', undefined],
    ['', undefined],
  ])('decimals %j', (text, value) => expect(decimalAt(kernelFile(text), 0)).toBe(value));
});

describe('keyed lines', () => {
  const keys = keysOf('anon', 'file', 'pgfault');
  const read = (text: string) => {
    const values: (bigint | undefined)[] = [9n, 9n, 9n, 7n];
    keyedValues(kernelFile(text), keys, values);
    return values;
  };

  it('finds whole keys only, in any order, and leaves the rest of the list alone', () =>
    expect(read('anon_thp 5\nfile_mapped 6\npgfault 3\nanon 1\nfile 2\n')).toEqual([1n, 2n, 3n, 7n]));

  it('takes no number from the next line', () => expect(read('anon\n5\nfile 2\n')).toEqual([undefined, 2n, undefined, 7n]));

  it('has nothing for what is missing or cut off', () => expect(read('anon 1\nfile 2')).toEqual([1n, undefined, undefined, 7n]));
});

it('counts only lines that end', () => expect(countLines(kernelFile('1\n22\n33'))).toBe(2));
