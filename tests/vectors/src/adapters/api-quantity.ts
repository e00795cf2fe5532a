import { errorMessage } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { type Adapter, defineAdapter } from '../adapter.js';

const described = (quantity: Quantity) => ({
  canonical: quantity.toString(),
  format: quantity.format,
  value: quantity.value(),
  milliValue: quantity.milliValue(),
});

function parse({ text }: { text: string }) {
  try {
    const quantity = Quantity.parse(text);
    return {
      ...described(quantity),
      canonical: quantity.canonical(),
      string: quantity.toString(),
      json: JSON.stringify(quantity),
      sign: quantity.sign,
      isZero: quantity.isZero,
      asInt64: quantity.asInt64() ?? null,
    };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

function arithmetic(input: { a: string; b: string; factor: number; scale: number }) {
  const a = Quantity.parse(input.a);
  const b = Quantity.parse(input.b);
  const mul = a.mulChecked(input.factor);
  const roundUp = a.roundUpChecked(input.scale);
  return {
    cmp: a.cmp(b),
    equal: a.equals(b),
    add: described(a.add(b)),
    sub: described(a.sub(b)),
    neg: described(a.neg()),
    mul: { result: described(mul.result), fitsInt64: mul.fitsInt64 },
    roundUp: { result: described(roundUp.result), exact: roundUp.exact },
    scaledValue: a.scaledValue(input.scale),
  };
}

export const apiQuantityAdapters: Adapter[] = [defineAdapter('quantity-parse', parse), defineAdapter('quantity-arith', arithmetic)];
