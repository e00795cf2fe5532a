import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';
import { definition, definitions, problemsOf, withSpec } from './definitions.fixture.js';

const at = 'spec.validation.openAPIV3Schema';
const field = `${at}.properties[spec].properties[a]`;
const withField = (a: unknown, more: Record<string, unknown> = {}) => withSpec({ a }, more);
const list = (items: unknown, more: Record<string, unknown>) => ({ type: 'array', items, ...more });

describe('definitions that are refused', () => {
  it.each<[schema: unknown, problem: string]>([
    [{ properties: {} }, `${at}.type: Required value: must not be empty at the root`],
    [{ type: 'array' }, `${at}.type: Invalid value: "array": must be object at the root`],
    [withField({ description: 'no type' }), `${field}.type: Required value: must not be empty for specified object fields`],
    [
      withField({ type: 'text' }),
      `${field}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
    [withField({ type: 'object', $ref: '#/definitions/x' }), `${field}.$ref: Forbidden: $ref is not supported`],
    [
      withField(list({ type: 'string' }, { uniqueItems: true })),
      `${field}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
    [
      withField({ type: 'object', properties: { b: { type: 'string' } }, additionalProperties: { type: 'string' } }),
      `${field}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
    [
      withField({ type: 'object', additionalProperties: false }),
      `${field}.additionalProperties: Forbidden: additionalProperties cannot be set to false`,
    ],
    [
      withField({ type: 'string', pattern: '(?=a)' }),
      `${field}.pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ],
    [withField({ type: 'integer', default: 'x' }), `${field}.default: Invalid value: "string": must be of type integer: "string"`],
    [withField({ type: 'integer', maximum: 3, default: 4 }), `${field}.default: Invalid value: 4: should be less than or equal to 3`],
    [
      withField({ type: 'object', properties: {}, default: { b: 1 } }),
      `${field}.default: Invalid value: {"b":1}: must not have unknown fields`,
    ],
    [
      withField({ type: 'string', 'x-kubernetes-preserve-unknown-fields': true }),
      `${field}.type: Invalid value: "string": must be object if x-kubernetes-preserve-unknown-fields is true`,
    ],
    [
      withField({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
      `${field}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
    ],
    [
      withField({ type: 'string', 'x-kubernetes-int-or-string': true }),
      `${field}.type: Invalid value: "string": must be empty if x-kubernetes-int-or-string is true`,
    ],
    [
      withField({ type: 'object', 'x-kubernetes-embedded-resource': true }),
      `${field}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
    ],
    [
      withField({ type: 'string', 'x-kubernetes-list-type': 'set' }),
      `${field}.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
    ],
    [
      withField(list({ type: 'object' }, { 'x-kubernetes-list-type': 'map' })),
      `${field}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
    ],
    [
      withField(
        list(
          { type: 'object', properties: { k: { type: 'string' } } },
          { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
        ),
      ),
      `${field}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
    [
      withField(list({ type: 'object' }, { 'x-kubernetes-list-type': 'set' })),
      `${field}.items.x-kubernetes-map-type: Invalid value: "granular": must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
    [
      withField({ type: 'string' }, { anyOf: [{ type: 'object' }] }),
      `${at}.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
    [
      withField({ type: 'string' }, { not: { properties: { b: {} } } }),
      `${at}.properties[spec].properties[b]: Required value: because it is defined in ${at}.properties[spec].not.properties[b]`,
    ],
    [
      { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
      `${at}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
    ],
  ])('schema %j', async (schema, problem) => expect(await problemsOf(setUp().call, definition(schema))).toEqual([problem]));

  const rule = (validation: Record<string, unknown>, a: unknown = { type: 'integer' }) =>
    withField(a, { 'x-kubernetes-validations': [validation] });
  const rules = `${at}.properties[spec].x-kubernetes-validations[0]`;
  const shown = (text: string, part = 'Rule') =>
    `{"Rule":${JSON.stringify(part === 'Rule' ? text : 'true').replaceAll('>', '\\u003e')},"Message":"","MessageExpression":${JSON.stringify(part === 'Rule' ? '' : text)},"Reason":null,"FieldPath":"","OptionalOldSelf":null}`;
  it.each<[validation: Record<string, unknown>, problem: string]>([
    [
      { rule: 'self.b > 1' },
      `rule: Invalid value: ${shown('self.b > 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b > 1\n | ....^`,
    ],
    [{ rule: 'self.a' }, `rule: Invalid value: ${shown('self.a')}: cel expression must evaluate to a bool`],
    [
      { rule: 'self = 1' },
      `rule: Invalid value: ${shown('self = 1')}: compilation failed: ERROR: <input>:1:6: Syntax error: token recognition error at: '= '\n | self = 1\n | .....^\nERROR: <input>:1:8: Syntax error: extraneous input '1' expecting <EOF>\n | self = 1\n | .......^`,
    ],
    [{ rule: '' }, 'rule: Required value: rule is not specified'],
    [{ rule: 'true', message: 'a\nb' }, 'message: Invalid value: "a\\nb": must not contain line breaks'],
    [
      { rule: 'true', messageExpression: '1' },
      `messageExpression: Invalid value: ${shown('1', 'Message')}: messageExpression must evaluate to a string`,
    ],
    [{ rule: 'true', fieldPath: '.b' }, 'fieldPath: Invalid value: ".b": must be a valid path'],
    [
      { rule: 'true', reason: 'Odd' },
      'reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
    [{ rule: 'self.a > 1', optionalOldSelf: true }, 'optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule'],
  ])('rule %j', async (validation, problem) => {
    expect(await problemsOf(setUp().call, definition(rule(validation)))).toEqual([`${rules}.${problem}`]);
  });

  it('rules that cost too much, until the schema limits its values', async () => {
    const texts = (more: Record<string, unknown>, items: Record<string, unknown>) =>
      withField(list({ type: 'string', ...items }, more), {
        'x-kubernetes-validations': [{ rule: 'self.a.all(x, self.a.all(y, x.contains(y)))' }],
      });
    const [expensive] = await problemsOf(setUp().call, definition(texts({}, {})));
    expect(expensive).toContain(
      `${rules}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
    );
    expect(await problemsOf(setUp().call, definition(texts({ maxItems: 10 }, { maxLength: 20 })))).toEqual([]);
  });

  it('a transition rule within a list that has no keys', async () => {
    const items = { type: 'string', maxLength: 5, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
    const [problem] = await problemsOf(setUp().call, definition(withField(list(items, { maxItems: 3 }))));
    expect(problem).toContain('oldSelf cannot be used on the uncorrelatable portion of the schema');
  });

  it.each<[spec: Record<string, unknown>, problem: string]>([
    [{ scope: 'Region' }, 'spec.scope: Unsupported value: "Region": supported values: "Cluster", "Namespaced"'],
    [
      { conversion: { strategy: 'Webhook' } },
      'spec.conversion.webhook.clientConfig: Required value: required when strategy is set to Webhook',
    ],
    [
      { preserveUnknownFields: true },
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
    [
      { names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget' } },
      'spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same',
    ],
  ])('spec %j', async (spec, problem) => expect(await problemsOf(setUp().call, definition(undefined, {}, spec))).toEqual([problem]));

  it.each<[version: Record<string, unknown>, problem: string]>([
    [{ schema: {} }, 'spec.versions[0].schema.openAPIV3Schema: Required value'],
    [
      { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] },
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    ],
    [
      { selectableFields: [{ jsonPath: '.spec.a' }] },
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.a": is an invalid path: does not refer to a valid field',
    ],
    [
      { subresources: { scale: { specReplicasPath: '.a', statusReplicasPath: '.status.a' } } },
      'spec.subresources.scale.specReplicasPath: Invalid value: ".a": should be a json path under .spec',
    ],
    [{ deprecationWarning: 'old' }, 'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
  ])('version %j', async (version, problem) => expect(await problemsOf(setUp().call, definition(undefined, version))).toEqual([problem]));

  it('a definition without a storage version, or without versions', async () => {
    const stored = 'status.storedVersions: Invalid value: null: must have at least one stored version';
    const without = (shown: string) => [
      `spec.versions: Invalid value: ${shown}: must have exactly one version marked as storage version`,
      stored,
    ];
    const shown =
      '{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}';
    expect(await problemsOf(setUp().call, definition(undefined, { storage: false }))).toEqual(without(`[${shown}]`));
    expect(await problemsOf(setUp().call, definition(undefined, {}, { versions: null }))).toEqual(without('null'));
    expect(await problemsOf(setUp().call, definition(undefined, {}, { versions: [] }))).toEqual(without('[]'));
  });

  it('schemas that differ between versions where they are, and the others once', async () => {
    const of = (rule: string) => withSpec({ a: { type: 'integer' } }, { 'x-kubernetes-validations': [{ rule }] });
    const versions = (...schemas: unknown[]) =>
      schemas.map((openAPIV3Schema, index) => ({ name: `v${index + 1}`, served: true, storage: index === 0, schema: { openAPIV3Schema } }));
    const fields = async (...schemas: unknown[]) =>
      (await problemsOf(setUp().call, definition(undefined, {}, { versions: versions(...schemas) }))).map(
        (text) => text.split('.properties')[0],
      );
    expect(await fields(of('self'), of('self'))).toEqual(['spec.validation.openAPIV3Schema']);
    expect(await fields(of('self'), of('self.a'))).toEqual([
      'spec.versions[0].schema.openAPIV3Schema',
      'spec.versions[1].schema.openAPIV3Schema',
    ]);
  });

  it('keywords of a wrong type', async () => {
    const [problem] = await problemsOf(setUp().call, definition({ type: 'object', properties: ['a'] }));
    expect(problem).toBe(
      '400: CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal array into Go struct ' +
        'field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties of type map[string]v1.JSONSchemaProps',
    );
  });

  it('changes of what is immutable', async () => {
    const { call, patch } = setUp();
    await call('POST', definitions, definition());
    const { body } = await patch(`${definitions}/widgets.example.com`, { spec: { scope: 'Cluster' } });
    expect(body.message).toContain('spec.scope: Invalid value: "Cluster": field is immutable');
  });

  it('schemas that nest too deeply, and accepts ten thousand fields', async () => {
    let deep: unknown = { type: 'string' };
    for (let depth = 0; depth < 1000; depth++) deep = { type: 'object', properties: { a: deep } };
    expect(await problemsOf(setUp().call, definition(deep))).toEqual([`${at}: Forbidden: schema nests deeper than 200 levels`]);
    const wide = withSpec(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, { type: 'string' }])));
    expect(await problemsOf(setUp().call, definition(wide))).toEqual([]);
  });
});
