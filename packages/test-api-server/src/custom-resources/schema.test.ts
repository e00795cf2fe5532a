import { describe, expect, it } from 'vitest';
import { withSchemaDefaults } from './defaults.js';
import { withoutUnknown } from './prune.js';
import { schemaProblems } from './validate-value.js';

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
        mode: { type: 'string', enum: ['fast', 'slow'] },
        name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
        port: { 'x-kubernetes-int-or-string': true },
        list: { type: 'array', maxItems: 2, items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        choice: { oneOf: [{ required: ['a'] }, { required: ['b'] }], type: 'object', properties: { a: {}, b: {} } },
      },
    },
  },
};
const problemsOf = (spec: unknown) => schemaProblems({ spec }, schema).map(({ field, problem }) => `${field}: ${problem}`);

describe('schemas of custom resources', () => {
  it('prune unknown fields', () => {
    const spec = { size: 1, other: 2, list: [{ a: 'b', c: 'd' }], labels: { any: 'v' }, free: { any: { thing: 1 } } };
    expect(withoutUnknown({ spec, more: 1 }, schema)).toEqual({
      spec: { size: 1, list: [{ a: 'b' }], labels: { any: 'v' }, free: { any: { thing: 1 } } },
    });
  });

  it('set defaults in existing parents', () => {
    expect(withSchemaDefaults({ spec: { list: [{}] } }, schema)).toEqual({ spec: { size: 2, list: [{ a: 'x' }] } });
    expect(withSchemaDefaults({}, schema)).toEqual({});
  });

  it.each([
    [{ size: 0 }, 'spec.size: Invalid value: 0: should be greater than or equal to 1'],
    [{ size: 10 }, 'spec.size: Invalid value: 10: should be less than or equal to 9'],
    [{ size: 1.5 }, 'spec.size: Invalid value: "number": must be of type integer: "number"'],
    [{ mode: 'odd' }, 'spec.mode: Unsupported value: "odd": supported values: "fast", "slow"'],
    [{ name: 'A1' }, 'spec.name: Invalid value: "A1": should match \'^[a-z]+$\''],
    [{ name: 'a' }, 'spec.name: Invalid value: "a": should be at least 2 chars long'],
    [{ name: 'abcde' }, 'spec.name: Too long: may not be more than 4 bytes'],
    [{ port: true }, 'spec.port: Invalid value: "boolean": must be of type integer or string: "boolean"'],
    [{ list: [{}, {}, {}] }, 'spec.list: Too many: 3: must have at most 2 items'],
    [{ list: [{ a: 1 }] }, 'spec.list[0].a: Invalid value: "integer": must be of type string: "integer"'],
    [{ labels: { x: 1 } }, 'spec.labels.x: Invalid value: "integer": must be of type string: "integer"'],
    [{ choice: { a: 1, b: 2 } }, 'spec.choice: Invalid value: {"a":1,"b":2}: must validate one and only one schema (oneOf)'],
  ])('refuse %j', (spec, problem) => expect(problemsOf(spec)).toEqual([problem]));

  it('accept valid objects, and report missing required fields', () => {
    expect(problemsOf({ size: 3, mode: 'fast', name: 'abc', port: 'http', choice: { a: 1 } })).toEqual([]);
    expect(schemaProblems({ metadata: {}, kind: 'X' }, schema)).toEqual([{ field: 'spec', problem: 'Required value' }]);
  });
});
