import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeAgentError } from '../contracts/errors.js';
import { Quantity } from './quantity.js';

const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-6', 'E2');
const text = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.option(fc.nat(999_999), { nil: undefined }), suffix)
  .map(([sign, integer, fraction, unit]) => `${sign}${integer}${fraction === undefined ? '' : `.${fraction}`}${unit}`);
const quantity = text.map((value) => Quantity.parse(value));
/** A multiple of 1000E: no suffix exists for its power, so its text loses it. */
const beyondSuffixes = (value: Quantity) => value.format === 'DecimalSI' && !value.isZero && value.roundUpChecked(21).exact;
/** Small enough that no sum leaves the range in which texts of quantities are exact. */
const moderate = fc
  .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.constantFrom('', 'm', 'u', 'k', 'Mi', 'Ki'))
  .map(([number, unit]) => Quantity.parse(`${number}${unit}`));

describe('parsing', () => {
  it.each([
    ['0.5Ki', '512'],
    ['0.1Mi', '104857600m'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['1.5', '1500m'],
    ['1e-1', '100e-3'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['16Ei', '9223372036854775807'],
    ['1000E', '1'],
    ['.', '0'],
    ['Mi', '0'],
  ])('writes %s as %s', (from, to) => {
    expect(Quantity.parse(from).canonical()).toBe(to);
  });

  it.each(['+5', '1.500', '98.565', '007Ki', '1E3'])('keeps %s as it was written', (from) => {
    expect(JSON.stringify(Quantity.parse(from))).toBe(JSON.stringify(from));
    expect(Quantity.parse(from).add(Quantity.zero).toString()).toBe(Quantity.parse(from).canonical());
  });

  it.each(['', ' 1', '1 ', '1\n', '1K', 'abc', '1.2.3', '--1', '1e', '1e+', '1e12345678901', 'e-12', 'NaN', '0x1'])(
    'refuses %j',
    (from) => {
      const parse = () => Quantity.parse(from);
      expect(parse).toThrow(NodeAgentError);
      expect(parse).toThrow(expect.objectContaining({ code: 'InvalidQuantity', details: { text: from } }));
    },
  );

  it('refuses numbers whose canonical text has too large an exponent', () => {
    expect(() => Quantity.parse(`1${'0'.repeat(9_999)}0e0`)).toThrow(expect.objectContaining({ code: 'InvalidQuantity' }));
    const largest = Quantity.parse(`1${'0'.repeat(9_999)}e0`).canonical();
    expect(largest).toBe('1e9999');
    expect(Quantity.parse(largest).canonical()).toBe(largest);
  });

  it('reads the bare numbers of a manifest', () => {
    expect(Quantity.parse(2).value()).toBe(2n);
    expect(Quantity.parse(0.5).milliValue()).toBe(500n);
    expect(() => Quantity.parse(Number.NaN)).toThrow(expect.objectContaining({ code: 'InvalidQuantity' }));
  });

  it('formats to a text that parses to the same amount', () => {
    fc.assert(
      fc.property(quantity, (value) => {
        expect(Quantity.parse(value.canonical()).canonical()).toBe(value.canonical());
        fc.pre(!beyondSuffixes(value));
        expect(Quantity.parse(value.canonical()).equals(value)).toBe(true);
        expect(Quantity.parse(value.toString()).equals(value)).toBe(true);
      }),
    );
  });

  it('loses only the power of a multiple of 1000E', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 21, max: 40 }), (number, zeros) => {
        fc.pre(number % 10 !== 0);
        const amount = Quantity.parse(`${number}${'0'.repeat(zeros)}`);
        expect(beyondSuffixes(amount)).toBe(true);
        expect(amount.canonical()).toBe(`${number}${'0'.repeat(zeros % 3)}`);
        expect(amount.add(Quantity.parse('1')).canonical()).toBe(`${number}${'0'.repeat(zeros - 1)}1`);
      }),
    );
  });
});

describe('integers', () => {
  it('rounds away from zero', () => {
    expect(Quantity.parse('1.5').value()).toBe(2n);
    expect(Quantity.parse('-1.5').value()).toBe(-2n);
    expect(Quantity.parse('100m').value()).toBe(1n);
  });

  it('handles values beyond 64 bits as Kubernetes does', () => {
    expect(Quantity.parse('1E').milliValue()).toBe(0n);
    expect(Quantity.parse('9223372036854775808').value()).toBe(-9223372036854775808n);
    expect(Quantity.parse('9223372036854775807').milliValue()).toBe(-1000n);
  });

  it('creates amounts and rejects non-integers', () => {
    expect(Quantity.of(3n << 30n, 'BinarySI').toString()).toBe('3Gi');
    expect(Quantity.ofMilli(1500).toString()).toBe('1500m');
    for (const value of [0.5, Number.NaN, 1n << 63n, Number.POSITIVE_INFINITY]) {
      expect(() => Quantity.of(value)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
    }
  });
});

describe('arithmetic', () => {
  it('uses the format of the first amount that is not zero', () => {
    expect(Quantity.zero.add(Quantity.parse('1Gi')).format).toBe('BinarySI');
    expect(Quantity.parse('1Gi').add(Quantity.parse('1')).format).toBe('BinarySI');
  });

  it('compares exactly, also across formats', () => {
    expect(Quantity.parse('1000m').cmp(Quantity.parse('1'))).toBe(0);
    expect(Quantity.parse('1Gi').cmp(Quantity.parse('1G'))).toBe(1);
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        expect(a.cmp(b) + b.cmp(a)).toBe(0);
        expect(a.cmp(b)).toBe(a.sub(b).sign);
      }),
    );
    fc.assert(
      fc.property(fc.array(quantity, { minLength: 3, maxLength: 3 }), (three) => {
        const [a, b, c] = three.sort((x, y) => x.cmp(y)) as [Quantity, Quantity, Quantity];
        expect(a.cmp(b)).not.toBe(1);
        expect(b.cmp(c)).not.toBe(1);
        expect(a.cmp(c)).not.toBe(1);
      }),
    );
  });

  it('adds like numbers', () => {
    fc.assert(
      fc.property(moderate, moderate, moderate, (a, b, c) => {
        expect(a.add(b).equals(b.add(a))).toBe(true);
        expect(
          a
            .add(b)
            .add(c)
            .equals(a.add(b.add(c))),
        ).toBe(true);
        expect(a.add(b).sub(b).equals(a)).toBe(true);
        expect(a.add(a.neg()).isZero).toBe(true);
        expect(a.mul(3).equals(a.add(a).add(a))).toBe(true);
      }),
    );
  });

  it('rounds up to a unit', () => {
    expect(Quantity.parse('1001m').roundUpChecked(0)).toMatchObject({ exact: false });
    expect(Quantity.parse('1001m').roundUp(0).toString()).toBe('2');
    expect(Quantity.parse('1500').roundUp(3).toString()).toBe('2k');
    expect(Quantity.parse('5k').roundUpChecked(0).exact).toBe(true);
    expect(() => Quantity.zero.roundUp(0.5)).toThrow('scale must be an integer');
    expect(() => Quantity.zero.scaledValue(Number.NaN)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
  });
});
