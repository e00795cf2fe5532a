import { expect, it } from 'vitest';
import { orderElements } from './order-elements.js';

it.each([
  ['as told', 'abc', 'cba', 'abc', 'cba'],
  ['new ones before those that are not mentioned', 'abn', 'n', 'ab', 'nab'],
  ['not mentioned ones where they stood', 'abcd', 'ca', 'abcd', 'bcad'],
  ['nothing', '', 'ab', '', ''],
])('orders %s', (_, list, order, before, expected) => {
  expect(orderElements([...list], [...order], [...before], '').join('')).toBe(expected);
});
