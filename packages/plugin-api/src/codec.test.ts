import { readFileSync } from 'node:fs';
import { decodeMessage, encodeMessage, type MessageType } from '@nodeagent/protobuf';
import * as fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { csiNodeService } from './csi-node.js';
import { devicePluginRegistrationService, devicePluginService } from './device-plugin.js';
import { draPluginService } from './dra.js';
import type { Method } from './method.js';
import { podResourcesService } from './pod-resources.js';
import { registrationService } from './registration.js';

const { root } = protobuf.parse(readFileSync(new URL('../proto/plugins.proto', import.meta.url), 'utf8'), new protobuf.Root());
root.resolveAll();

/** Messages that are not named after their method. */
const otherTypes: Record<string, [string, string]> = {
  getInfo: ['InfoRequest', 'PluginInfo'],
  notifyRegistrationStatus: ['RegistrationStatus', 'RegistrationStatusResponse'],
  register: ['RegisterRequest', 'Empty'],
  getDevicePluginOptions: ['Empty', 'DevicePluginOptions'],
  listAndWatch: ['Empty', 'ListAndWatchResponse'],
  preStartContainer: ['PreStartContainerRequest', 'Empty'],
};

const services = {
  ...csiNodeService,
  ...registrationService,
  ...devicePluginRegistrationService,
  ...devicePluginService,
  ...podResourcesService,
  ...draPluginService,
};

/** Every message of the services, by its name in the .proto. */
const types = new Map<string, MessageType>();
for (const [name, { request, response }] of Object.entries<Method>(services)) {
  const stem = name.charAt(0).toUpperCase() + name.slice(1);
  const [requestName, responseName] = otherTypes[name] ?? [`${stem}Request`, `${stem}Response`];
  types.set(requestName, request);
  types.set(responseName, response);
}

const text = fc.string({ unit: 'binary', maxLength: 200 });

/** A complete message as it is received: all fields are set, only those of message type are optional. */
function arbitrary(type: protobuf.Type): fc.Arbitrary<Record<string, unknown>> {
  const model: Record<string, fc.Arbitrary<unknown>> = {};
  const requiredKeys: string[] = [];
  for (const field of type.fieldsArray) {
    const { resolvedType } = field;
    if (field.map)
      model[field.name] = fc.dictionary(
        text.filter((key) => key !== '__proto__'),
        text,
        { maxKeys: 3, noNullPrototype: true },
      );
    else if (resolvedType instanceof protobuf.Type) model[field.name] = arbitrary(resolvedType);
    else if (resolvedType instanceof protobuf.Enum) model[field.name] = fc.constantFrom(...Object.keys(resolvedType.values));
    else if (field.type === 'int64')
      model[field.name] = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(0n, -1n, 127n, 128n));
    else model[field.name] = field.type === 'bool' ? fc.boolean() : text;
    if (field.repeated) model[field.name] = fc.array(model[field.name] as fc.Arbitrary<unknown>, { maxLength: 3 });
    if (field.map || field.repeated || !(resolvedType instanceof protobuf.Type)) requiredKeys.push(field.name);
  }
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}

/** The value as protobufjs' reflection expects it: enums by number, 64-bit integers in two halves. */
function toReflection(type: protobuf.Type, value: Record<string, unknown>): Record<string, unknown> {
  const one = (field: protobuf.Field, element: unknown): unknown => {
    if (field.map) return element;
    if (field.resolvedType instanceof protobuf.Type) return toReflection(field.resolvedType, element as Record<string, unknown>);
    if (field.resolvedType instanceof protobuf.Enum) return field.resolvedType.values[element as string];
    if (typeof element !== 'bigint') return element;
    return { low: Number(BigInt.asIntN(32, element)), high: Number(BigInt.asIntN(32, element >> 32n)), unsigned: false };
  };
  const entries = Object.entries(value).map(([name, content]) => {
    const field = type.fields[name] as protobuf.Field;
    return [name, field.repeated ? (content as unknown[]).map((element) => one(field, element)) : one(field, content)];
  });
  return Object.fromEntries(entries);
}

describe('messages', () => {
  it.each([...types.keys()])('%s is encoded as its .proto definition requires', (name) => {
    const reference = root.lookupType(`wire.${name}`);
    const type = types.get(name) as MessageType;
    fc.assert(
      fc.property(arbitrary(reference), (value) => {
        const theirs = reference.encode(toReflection(reference, value)).finish();
        expect(decodeMessage(type, theirs)).toEqual(value);
        const ours = encodeMessage(type, value);
        expect(decodeMessage(type, ours)).toEqual(value);
        expect(reference.decode(ours).toJSON()).toEqual(reference.decode(theirs).toJSON());
      }),
      { numRuns: 60 },
    );
  });

  it('accept any key in a map, also __proto__', () => {
    const bytes = encodeMessage(csiNodeService.nodeStageVolume.request, { secrets: JSON.parse('{"__proto__":"s"}') });
    expect(Object.entries(decodeMessage(csiNodeService.nodeStageVolume.request, bytes).secrets)).toEqual([['__proto__', 's']]);
  });
});
