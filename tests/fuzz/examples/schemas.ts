import type { Json } from '../generate/json.js';

/** Structural schemas, and objects for them. */
export const schemaExamples: readonly Json[] = [
  {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', pattern: '^[a-z]+$', minLength: 1, maxLength: 8 },
          size: { type: 'integer', minimum: 0, exclusiveMaximum: true, maximum: 9, default: 2 },
          ratio: { type: 'number', multipleOf: 0.5, nullable: true },
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
          when: { type: 'string', format: 'date-time' },
          labels: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 5 } },
        },
        oneOf: [{ required: ['size'] }, { required: ['mode'] }],
        not: { properties: { name: { enum: ['bad'] } } },
      },
    },
  },
  {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          set: { type: 'array', 'x-kubernetes-list-type': 'set', maxItems: 4, items: { type: 'string' } },
          map: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer', default: 1 } } },
          },
          open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'boolean' } } },
          inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        },
        'x-kubernetes-validations': [
          { rule: '!has(self.set) || self.set.all(x, x.size() < 9)', messageExpression: '"too long"', fieldPath: '.set' },
        ],
      },
    },
  },
];

export const specExamples: readonly Json[] = [
  { name: 'abc', size: 1, ratio: 1.5, port: 'http', mode: 'b', when: '2026-01-01T00:00:00Z', labels: { a: 'b' } },
  { name: 'abc', ratio: null, port: 80, other: 1 },
  { set: ['a', 'b'], map: [{ k: 'x' }, { k: 'y', v: 2 }], open: { a: true, b: [1] }, inner: { apiVersion: 'v1', kind: 'A', metadata: {} } },
];

/** Rules in CEL of the object of `specExamples`. */
export const ruleExamples: readonly string[] = [
  'self.size >= 1 && self.name.startsWith("a")',
  'self.set.all(x, self.set.exists_one(y, x == y)) || size(self.map) > 3',
  'self.map.filter(e, e.k != "x").map(e, e.v * 2).sum() < 10',
  'has(self.labels) ? self.labels.all(k, k.matches("^[a-z]+$")) : true',
  'self.?port.orValue(1) != optional.none() && dyn(self.size) in [dyn(1), dyn(2.0), dyn(3u)]',
  'timestamp("2026-01-01T00:00:00Z") + duration("1h") > self.when',
  'quantity("1Gi").isGreaterThan(quantity("1k")) && cidr("10.0.0.0/8").containsIP(ip("10.1.1.1"))',
  'optional.of(self.name + self.name).optMap(x, "%s-%d".format([x, self.size])).value().find("[0-9]+$") == r"\\d"',
  'self.size >= oldSelf.size ? true : url("https://a.b/c?d=e").getHost() == "a.b"',
];
