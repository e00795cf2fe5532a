import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './protobuf.js';

/** A field of a message: a number, text, or the bytes of a message inside. */
function field(number: number, value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.from([number << 3, value]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}
const message = (...fields: Buffer[]) => Buffer.concat(fields);
const body = (apiVersion: string, kind: string, raw: Buffer) =>
  message(Buffer.from('k8s\0'), field(1, message(field(1, apiVersion), field(2, kind))), field(2, raw));

describe('protobuf bodies', () => {
  it('are decoded to the JSON of their kind', () => {
    const metadata = message(field(1, 'c'), field(2, ''), field(7, 0), field(8, ''), field(11, message(field(1, 'a'), field(2, 'b'))));
    const configMap = message(
      field(1, metadata),
      field(2, message(field(1, 'k'), field(2, 'v'))),
      field(3, message(field(1, 'x'), field(2, Buffer.from([1, 2])))),
    );
    expect(decodeProtobuf(body('v1', 'ConfigMap', configMap))).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', labels: { a: 'b' } },
      data: { k: 'v' },
      binaryData: { x: 'AQI=' },
    });
  });

  it('keep zeros of optional fields', () => {
    const options = message(field(1, 0), field(2, message(field(1, 'u'))), field(4, ''));
    expect(decodeProtobuf(body('policy/v1', 'Eviction', message(field(1, ''), field(2, options))))).toEqual({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      deleteOptions: { gracePeriodSeconds: 0, preconditions: { uid: 'u' } },
    });
    const budget = message(field(1, message(field(1, 0), field(2, 3))), field(3, message(field(1, 1), field(3, '50%'))));
    expect(decodeProtobuf(body('policy/v1', 'PodDisruptionBudget', field(2, budget)))).toMatchObject({
      spec: { minAvailable: 3, maxUnavailable: '50%' },
    });
  });

  it('are rejected if they have unknown fields', () => {
    const refused = (bytes: Buffer) => expect(() => decodeProtobuf(bytes)).toThrow('unknown format');
    refused(Buffer.from('{}'));
    refused(body('v1', 'Unknown', Buffer.alloc(0)));
    refused(body('v1', 'ConfigMap', field(9, 'text')));
    refused(message(Buffer.from('k8s\0'), Buffer.from([0x80])));
    expect(decodeProtobuf(body('v1', 'Namespace', message(field(3, field(1, '')))))).toEqual({ apiVersion: 'v1', kind: 'Namespace' });
  });
});
