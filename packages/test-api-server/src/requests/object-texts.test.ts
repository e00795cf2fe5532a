import { expect, it } from 'vitest';
import { ObjectTexts } from './object-texts.js';

it('writes lists as JSON.stringify does, the second time from the texts of their items', () => {
  const texts = new ObjectTexts();
  const items: object[] = [{ name: 'a' }, { name: 'b' }];
  const list = { kind: 'List', metadata: { resourceVersion: '7' }, items };
  const text = texts.ofList(list);
  expect(text).toBe(JSON.stringify(list));
  Object.assign(items[0] as object, { name: 'not read again' });
  expect(texts.ofList(list)).toBe(text);
  expect(texts.of(items[0] as object)).toBe('{"name":"a"}');
  expect(texts.ofList({ kind: 'List', items: [] })).toBe('{"kind":"List","items":[]}');
});
