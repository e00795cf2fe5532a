import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { imageServiceMethods, runtimeServiceMethods } from './generated/codec.js';
import type { Codec } from './wire.js';

const { root } = protobuf.parse(readFileSync(new URL('../proto/runtime.v1.proto', import.meta.url), 'utf8'), new protobuf.Root(), {
  keepCase: true,
});
root.resolveAll();

function fieldName(field: protobuf.Field): string {
  if (field.name === 'CDI_devices') return 'cdiDevices';
  const camel = field.name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return camel.charAt(0).toLowerCase() + camel.slice(1);
}

const codecs = new Map<string, Codec<unknown>>();
for (const [table, service] of [
  [runtimeServiceMethods, 'RuntimeService'],
  [imageServiceMethods, 'ImageService'],
] as const) {
  for (const [name, method] of Object.entries(table)) {
    const { requestType, responseType } = root.lookupService(`runtime.v1.${service}`).methods[method.name] ?? {};
    if (!requestType || !responseType) throw new Error(`${name} is not in the .proto`);
    codecs.set(requestType, method.request);
    codecs.set(responseType, method.response);
  }
}

const text = fc.string({ unit: 'binary', maxLength: 40 });
const scalars: Record<string, fc.Arbitrary<unknown>> = {
  string: fc.oneof(text, fc.string({ minLength: 120, maxLength: 300 })),
  bool: fc.boolean(),
  bytes: fc.uint8Array({ maxLength: 200 }),
  double: fc.double(),
  int32: fc.oneof(fc.integer(), fc.constantFrom(0, -1, -(2 ** 31), 2 ** 31 - 1)),
  uint32: fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(0, 2 ** 32 - 1)),
  int64: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(0n, 1n, -1n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 32n)),
  uint64: fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.constantFrom(0n, 1n, 2n ** 64n - 1n, 2n ** 32n, 2n ** 63n)),
};

/** A complete message as the codec decodes it: everything but message fields is there. */
function arbitrary(type: protobuf.Type): fc.Arbitrary<Record<string, unknown>> {
  const model: Record<string, fc.Arbitrary<unknown>> = {};
  const required: string[] = [];
  for (const field of type.fieldsArray) {
    const one = oneOf(field);
    if (field.map)
      model[fieldName(field)] = fc.dictionary(
        text.filter((key) => key !== '__proto__'),
        text,
        { maxKeys: 3, noNullPrototype: true },
      );
    else if (field.repeated) model[fieldName(field)] = fc.array(one, { maxLength: 3 });
    else model[fieldName(field)] = one;
    if (field.map || field.repeated || !(field.resolvedType instanceof protobuf.Type)) required.push(fieldName(field));
  }
  return fc.record(model, { requiredKeys: required, noNullPrototype: true });
}

function oneOf(field: protobuf.Field): fc.Arbitrary<unknown> {
  if (field.resolvedType instanceof protobuf.Type) return arbitrary(field.resolvedType);
  if (field.resolvedType instanceof protobuf.Enum) return fc.constantFrom(...Object.keys(field.resolvedType.values));
  const scalar = scalars[field.type];
  if (!scalar) throw new Error(`no values of ${field.type}`);
  return scalar;
}

/** The same message for protobufjs' own encoder. */
function toReflection(type: protobuf.Type, message: Record<string, unknown>): Record<string, unknown> {
  const one = (field: protobuf.Field, value: unknown): unknown => {
    if (field.resolvedType instanceof protobuf.Type) return toReflection(field.resolvedType, value as Record<string, unknown>);
    if (typeof value !== 'bigint') return value;
    const bits = BigInt.asUintN(64, value);
    return { low: Number(BigInt.asIntN(32, bits)), high: Number(BigInt.asIntN(32, bits >> 32n)), unsigned: field.type === 'uint64' };
  };
  const result: Record<string, unknown> = {};
  for (const field of type.fieldsArray) {
    const value = message[fieldName(field)];
    if (value === undefined) continue;
    result[field.name] = field.repeated ? (value as unknown[]).map((element) => one(field, element)) : one(field, value);
  }
  return result;
}

describe('the codec encodes and decodes as protobufjs', () => {
  for (const [name, codec] of codecs) {
    it(name, () => {
      const type = root.lookupType(`runtime.v1.${name}`);
      fc.assert(
        fc.property(arbitrary(type), (message) => {
          const theirs = type.encode(type.fromObject(toReflection(type, message))).finish();
          expect(codec.decode(theirs)).toEqual(message);
          const reencoded = type.encode(type.decode(codec.encode(message))).finish();
          expect(codec.decode(reencoded)).toEqual(message);
        }),
        { numRuns: 25 },
      );
    });
  }
});

const { listContainers, containerStatus, execSync, createContainer } = runtimeServiceMethods;

describe('the wire format', () => {
  it('omits default values and restores them', () => {
    const empty = containerStatus.response.decode(Buffer.alloc(0));
    expect(empty).toEqual({ info: {} });
    expect(containerStatus.response.encode({ info: {} })).toHaveLength(0);
    const status = containerStatus.response.decode(Buffer.from([10, 0])).status;
    expect(status).toEqual({
      ...{ id: '', state: 'CONTAINER_CREATED', createdAt: 0n, startedAt: 0n, finishedAt: 0n, exitCode: 0, imageRef: '', reason: '' },
      ...{ message: '', labels: {}, annotations: {}, mounts: [], logPath: '', imageId: '', stopSignal: 'RUNTIME_DEFAULT' },
    });
    expect(containerStatus.response.encode({ ...(status ? { status } : {}), info: {} })).toEqual(Buffer.from([10, 0]));
  });

  it('skips unknown fields of every wire type', () => {
    const unknown = [0xf8, 7, 5, 0xf9, 7, 1, 2, 3, 4, 5, 6, 7, 8, 0xfa, 7, 2, 1, 2, 0xfb, 7, 0x08, 1, 0xfc, 7, 0xfd, 7, 1, 2, 3, 4];
    const bytes = Buffer.from([
      ...unknown,
      ...execSync.response.encode({ stdout: Buffer.from('out'), stderr: new Uint8Array(), exitCode: 3 }),
      ...unknown,
    ]);
    expect(execSync.response.decode(bytes)).toEqual({ stdout: new Uint8Array(Buffer.from('out')), stderr: new Uint8Array(), exitCode: 3 });
  });

  it('decodes an unknown enum number as the conservative value', () => {
    const container = (state: number) => listContainers.response.decode(Buffer.from([10, 2, 6 * 8, state])).containers[0]?.state;
    expect([0, 1, 3, 4, 99].map(container)).toEqual([
      'CONTAINER_CREATED',
      'CONTAINER_RUNNING',
      'CONTAINER_UNKNOWN',
      'CONTAINER_UNKNOWN',
      'CONTAINER_UNKNOWN',
    ]);
    const sandbox = runtimeServiceMethods.listPodSandbox.response.decode(Buffer.from([10, 2, 3 * 8, 7])).items[0];
    expect(sandbox?.state).toBe('SANDBOX_NOTREADY');
    const signal = containerStatus.response.decode(Buffer.from([10, 3, 0x98, 1, 100])).status?.stopSignal;
    expect(signal).toBe('RUNTIME_DEFAULT');
  });

  it('packs lists of numbers and also decodes unpacked ones', () => {
    const encoded = runtimeServiceMethods.portForward.request.encode({ podSandboxId: '', port: [1, 80] });
    expect(encoded).toEqual(Buffer.from([18, 2, 1, 80]));
    expect(runtimeServiceMethods.portForward.request.decode(Buffer.from([16, 1, 16, 80])).port).toEqual([1, 80]);
  });

  it('accepts any map key', () => {
    const labels = JSON.parse('{"__proto__":"a","constructor":"b","":""}');
    const bytes = createContainer.request.encode({ config: { labels } });
    expect(Object.entries(createContainer.request.decode(bytes).config?.labels ?? {})).toEqual(Object.entries(labels));
  });

  it('copies bytes out of the received buffer', () => {
    const bytes = execSync.response.encode({ stdout: Buffer.from('abc'), stderr: new Uint8Array(), exitCode: 0 });
    const { stdout } = execSync.response.decode(bytes);
    bytes.fill(0);
    expect(Buffer.from(stdout).toString()).toBe('abc');
    expect(stdout.buffer.byteLength).toBe(3);
  });

  it('throws for every truncated message', () => {
    const container = {
      id: 'a',
      podSandboxId: 'b',
      metadata: { name: 'n', attempt: 300 },
      imageRef: 'r',
      state: 'CONTAINER_RUNNING' as const,
    };
    const whole = listContainers.response.encode({
      containers: [{ ...container, createdAt: 2n ** 60n, labels: { k: 'v' }, annotations: {}, imageId: 'i' }],
    });
    for (let length = 1; length < whole.length; length++) {
      expect(() => listContainers.response.decode(whole.subarray(0, length)), `first ${length} bytes`).toThrow();
    }
    expect(() => listContainers.response.decode(Buffer.from([10, 3, 8 * 6, 1, 8 * 7, 0x80]))).toThrow();
    expect(() => listContainers.response.decode(Buffer.from([10, 2, 8 * 7, 0x80, 0x80, 1]))).toThrow('message ends at 4');
    expect(() => listContainers.response.decode(Buffer.from([10, 12, 56, ...new Array(11).fill(0xff)]))).toThrow('invalid varint');
  });

  it('names the length of a message that exceeds the received bytes', () => {
    expect(() => listContainers.response.decode(Buffer.from([10, 3, 8 * 6, 1]))).toThrow('message of 3 bytes at 2 exceeds the 4 received');
  });

  it('encodes 64-bit integers that are passed as numbers, as from JSON', () => {
    const { request } = runtimeServiceMethods.updateContainerResources;
    const resources = { memoryLimitInBytes: 2 ** 40, cpuQuota: -1, oomScoreAdj: 0 };
    const bytes = request.encode({ containerId: 'a', linux: resources as never });
    expect(request.decode(bytes).linux).toMatchObject({ memoryLimitInBytes: 2n ** 40n, cpuQuota: -1n, oomScoreAdj: 0n });
  });

  it('rejects an unknown enum value', () => {
    const filter = JSON.parse('{"state":{"state":"RUNNING"}}');
    expect(() => listContainers.request.encode({ filter })).toThrow('"RUNNING" is none of CONTAINER_CREATED, CONTAINER_RUNNING');
  });
});
