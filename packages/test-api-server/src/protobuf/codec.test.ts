import { describe, expect, it } from 'vitest';
import { decodeObject, encodeEvent, encodeObject, hasProtobuf } from './codec.js';

/** A field of a message: a number, text, or the bytes of a message inside. */
function field(number: number, value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.from([number << 3, value]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}
const message = (...fields: Buffer[]) => Buffer.concat(fields);
const envelope = (apiVersion: string, kind: string, raw: Buffer) =>
  message(Buffer.from('k8s\0'), field(1, message(field(1, apiVersion), field(2, kind))), field(2, raw), field(3, ''), field(4, ''));

describe('a decoded object', () => {
  it('is the JSON of its kind', () => {
    const metadata = message(field(1, 'c'), field(2, ''), field(7, 0), field(8, ''), field(11, message(field(1, 'a'), field(2, 'b'))));
    const configMap = message(
      field(1, metadata),
      field(2, message(field(1, 'k'), field(2, 'v'))),
      field(3, message(field(1, 'x'), field(2, Buffer.from([1, 2])))),
    );
    expect(decodeObject(envelope('v1', 'ConfigMap', configMap))).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', labels: { a: 'b' } },
      data: { k: 'v' },
      binaryData: { x: 'AQI=' },
    });
  });

  it('keeps zeros of optional fields', () => {
    const options = message(field(1, 0), field(2, message(field(1, 'u'))), field(4, ''));
    expect(decodeObject(envelope('policy/v1', 'Eviction', message(field(1, ''), field(2, options))))).toEqual({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: {},
      deleteOptions: { gracePeriodSeconds: 0, preconditions: { uid: 'u' }, propagationPolicy: '' },
    });
    const budget = message(field(1, message(field(1, 0), field(2, 0))), field(3, message(field(1, 1), field(3, '50%'))));
    expect(decodeObject(envelope('policy/v1', 'PodDisruptionBudget', field(2, budget)))).toMatchObject({
      spec: { minAvailable: 0, maxUnavailable: '50%' },
    });
  });

  it('has the fields that Go writes even if they are empty, and the inlined ones of a volume', () => {
    const volume = message(field(1, 'data'), field(2, field(2, field(1, 'Memory'))));
    const container = message(field(1, 'main'), field(14, 'Always'));
    const pod = field(2, message(field(1, volume), field(2, container)));
    expect(decodeObject(envelope('v1', 'Pod', pod))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      spec: {
        volumes: [{ name: 'data', emptyDir: { medium: 'Memory' } }],
        containers: [{ name: 'main', resources: {}, imagePullPolicy: 'Always' }],
      },
      status: {},
    });
  });

  it('has no unknown fields, and the last value of a field that occurs twice', () => {
    const metadata = message(field(1, 'first'), field(1, 'second'), field(4, 'link'), field(4, ''), field(15, 'cluster'));
    const namespace = message(field(1, metadata), field(1, field(5, 'uid')), field(9, 'unknown'));
    expect(decodeObject(envelope('v1', 'Namespace', namespace))).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'second', uid: 'uid' },
      spec: {},
      status: {},
    });
  });

  it('may have a map with any key', () => {
    const data = field(2, message(field(1, '__proto__'), field(2, 'v')));
    const { data: map } = decodeObject(envelope('v1', 'ConfigMap', message(data, field(2, field(1, 'empty')))));
    expect(Object.entries(map as object)).toEqual([
      ['__proto__', 'v'],
      ['empty', ''],
    ]);
  });

  it('has the kind that is expected if the envelope has none', () => {
    const bare = message(Buffer.from('k8s\0'), field(2, field(1, 5)));
    expect(decodeObject(bare, { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' })).toEqual({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 5,
    });
  });
});

describe('bytes that are no object', () => {
  const pod = (...fields: Buffer[]) => envelope('v1', 'Pod', message(...fields));

  it.each([
    ['no bytes', Buffer.alloc(0), 'empty data'],
    ['JSON', Buffer.from('{"kind":"Pod"}'), 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['only the prefix', Buffer.from('k8s\0'), 'empty body'],
    ['an envelope that is cut off', Buffer.from('k8s\0\x0a'), 'unexpected EOF'],
    ['an unknown kind', envelope('v1', 'Prod', Buffer.alloc(0)), 'no kind "Prod" is registered for version "v1"'],
    ['a type that is no kind', envelope('v1', 'PodSpec', Buffer.alloc(0)), 'no kind "PodSpec" is registered for version "v1"'],
    ['no kind', envelope('v1', '', Buffer.alloc(0)), "Object 'Kind' is missing in the envelope"],
    ['a length beyond the end', pod(Buffer.from([0x0a, 0x7f, 0x61])), 'unexpected EOF'],
    ['a length beyond 2^32', pod(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])), 'unexpected EOF'],
    ['a length within a field', pod(field(1, Buffer.from([0x0a, 5, 0x61]))), 'unexpected EOF'],
    ['a number of more than 64 bits', pod(field(1, Buffer.from([0x38, ...Array(10).fill(0xff), 1]))), 'proto: integer overflow'],
    ['another wire type', pod(field(1, 7)), 'proto: wrong wireType = 0 for field ObjectMeta'],
    [
      'a quantity that is none',
      envelope('v1', 'ResourceQuota', field(2, field(1, message(field(1, 'cpu'), field(2, field(1, 'x')))))),
      'quantities must',
    ],
    ['a group', pod(Buffer.from([0x7b])), 'proto: illegal wireType'],
    ['the field number 0', pod(Buffer.from([0x02, 0])), 'proto: illegal wireType'],
  ])('are refused: %s', (_, bytes, problem) => {
    expect(() => decodeObject(bytes)).toThrow(problem);
  });

  it('are refused if they are too deep or too many', () => {
    let schema: Buffer = Buffer.alloc(0);
    // `not` has the number 28.
    for (let depth = 0; depth < 600; depth++) schema = Buffer.concat([Buffer.from([0xe2, 1]), varint(schema.length), schema]);
    const wrap = (number: number, bytes: Buffer) => Buffer.concat([Buffer.from([8 * number + 2]), varint(bytes.length), bytes]);
    const definition = wrap(2, wrap(7, wrap(4, wrap(1, schema))));
    const head = Buffer.concat([
      Buffer.from('k8s\0'),
      field(1, message(field(1, 'apiextensions.k8s.io/v1'), field(2, 'CustomResourceDefinition'))),
    ]);
    expect(() => decodeObject(Buffer.concat([head, wrap(2, definition)]))).toThrow('exceeded max depth of 500');
    const podHead = Buffer.concat([Buffer.from('k8s\0'), field(1, message(field(1, 'v1'), field(2, 'Pod')))]);
    const containers = wrap(2, wrap(2, Buffer.alloc(2 * 200_001, Buffer.from([0x12, 0]))));
    expect(() => decodeObject(Buffer.concat([podHead, containers]))).toThrow('more than 200000 objects');
  });

  it('are refused if an object in it is no JSON', () => {
    const revision = field(2, field(1, '{"a":'));
    expect(() => decodeObject(envelope('apps/v1', 'ControllerRevision', revision))).toThrow('JSON');
    const nested = (count: number): Buffer =>
      count === 0 ? Buffer.from('{}') : envelope('v1', 'List', field(2, field(1, nested(count - 1))));
    expect(decodeObject(nested(3))).toMatchObject({ items: [{ items: [{ items: [{}] }] }] });
    expect(() => decodeObject(Buffer.from(big(12)))).toThrow('too many envelopes');
  });
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

/** Lists in lists, each in an envelope. */
function big(count: number): Uint8Array {
  let inner: Uint8Array = Buffer.from('{}');
  for (let i = 0; i < count; i++) {
    const raw = Buffer.concat([Buffer.from([0x0a]), varint(inner.length), inner]);
    const item = Buffer.concat([Buffer.from([0x12]), varint(raw.length), raw]);
    inner = Buffer.concat([
      Buffer.from('k8s\0'),
      field(1, message(field(1, 'v1'), field(2, 'List'))),
      Buffer.from([0x12]),
      varint(item.length),
      item,
    ]);
  }
  return inner;
}

describe('an encoded object', () => {
  it('is in an envelope', () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' }, spec: { finalizers: ['kubernetes'] }, other: 1 };
    const raw = message(field(1, field(1, 'a')), field(2, field(1, 'kubernetes')));
    expect(Buffer.from(encodeObject(object))).toEqual(envelope('v1', 'Namespace', raw));
  });

  it('keeps explicit zeros and omits null', () => {
    const object = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: null, dryRun: [] };
    expect(Buffer.from(encodeObject(object))).toEqual(envelope('v1', 'DeleteOptions', field(1, 0)));
  });

  it('has a codec only if its kind is built in', () => {
    const kinds = [
      ['v1', 'Pod', true],
      ['v1', 'PodList', true],
      ['v1', 'Status', true],
      ['policy/v1', 'DeleteOptions', true],
      ['meta.k8s.io/v1', 'PartialObjectMetadataList', true],
      ['autoscaling/v1', 'Scale', true],
      ['resource.k8s.io/v1beta1', 'ResourceClaim', true],
      ['v1', 'Container', false],
      ['v1', 'toString', false],
      ['meta.k8s.io/v1', 'Table', false],
      ['example.com/v1', 'Batch', false],
    ] as const;
    expect(kinds.map(([apiVersion, kind]) => [apiVersion, kind, hasProtobuf({ apiVersion, kind })])).toEqual(kinds);
    expect(() => encodeObject({ apiVersion: 'example.com/v1', kind: 'Batch' })).toThrow('have no protobuf encoding');
  });

  it('of a watch event is framed by its size', () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } };
    const event = message(field(1, 'ADDED'), field(2, field(1, Buffer.from(encodeObject(object)))));
    expect(Buffer.from(encodeEvent('ADDED', object))).toEqual(Buffer.concat([Buffer.from([0, 0, 0, event.length]), event]));
  });
});
