import { expect, it } from 'vitest';
import { expandSubPathExpr } from './sub-path-expr.js';

it('rejects a sub path with unset or empty variables', () => {
  const subPath = () => expandSubPathExpr('$(Z)/$(A)/$(E)/$(A)', [{ name: 'E', value: '' }]);
  expect(subPath).toThrow('missing value for A, E, Z');
  expect(subPath).toThrow(expect.objectContaining({ code: 'MissingVariable' }));
});
