import { expect, it } from 'vitest';
import { orderElements } from './order-elements.js';

it.each([
  ['as requested', 'abc', 'cba', 'abc', 'cba'],
  ['new elements before those without an order', 'abn', 'n', 'ab', 'nab'],
  ['elements without an order at their previous position', 'abcd', 'ca', 'abcd', 'bcad'],
  ['nothing', '', 'ab', '', ''],
])('orders %s', (_, list, order, before, expected) => {
  expect(orderElements([...list], [...order], [...before], '').join('')).toBe(expected);
});
