import { dumpGoMap, dumpGoSlice, dumpGoStruct, fnv1a32, isObject } from '@nodeagent/api/helpers';
import { containerAllocateResponse, decodeMessage, encodeMessage } from '@nodeagent/plugin-api';
import type { DeviceRecord, DevicesPerNuma } from './pod-devices.js';

/** What the checkpoint contains. */
export interface DeviceCheckpoint {
  records: readonly DeviceRecord[];
  /** Ids of the healthy devices by resource. */
  registered: Readonly<Record<string, readonly string[]>>;
}

interface Entry {
  PodUID: string;
  ContainerName: string;
  ResourceName: string;
  DeviceIDs: DevicesPerNuma;
  /** Base64. */
  AllocResp: string;
}

interface CheckpointData {
  PodDeviceEntries: Entry[] | null;
  RegisteredDevices: Record<string, readonly string[]>;
}

/** Encodes the file `kubelet_internal_checkpoint` as a kubelet does: JSON with a checksum. */
export function encodeDeviceCheckpoint({ records, registered }: DeviceCheckpoint): string {
  const entries = records.map(({ podUID, containerName, resource, devices, response }) => ({
    PodUID: podUID,
    ContainerName: containerName,
    ResourceName: resource,
    DeviceIDs: devices,
    AllocResp: encodeMessage(containerAllocateResponse, response).toString('base64'),
  }));
  const Data: CheckpointData = { PodDeviceEntries: entries.length === 0 ? null : entries, RegisteredDevices: registered };
  return JSON.stringify({ Data, Checksum: checksum(Data) });
}

/**
 * Decodes a file of {@link encodeDeviceCheckpoint} or a kubelet. Leaves out containers whose response cannot be decoded. Throws an Error that
 * describes the problem.
 */
export function decodeDeviceCheckpoint(text: string): DeviceCheckpoint {
  const file: unknown = JSON.parse(text);
  if (!isObject(file) || !isObject(file.Data)) throw new Error('"Data" is not an object');
  const { PodDeviceEntries, RegisteredDevices } = file.Data;
  if (!Array.isArray(PodDeviceEntries ?? [])) throw new Error('"PodDeviceEntries" is not a list');
  if (!isObject(RegisteredDevices ?? {})) throw new Error('"RegisteredDevices" is not an object');
  const data: CheckpointData = {
    PodDeviceEntries: (PodDeviceEntries as unknown[] | null | undefined)?.map(entryOf) ?? null,
    RegisteredDevices: Object.fromEntries(Object.entries(RegisteredDevices ?? {}).map(([name, ids]) => [name, textsOf(ids, name)])),
  };
  if (file.Checksum !== checksum(data)) throw new Error('checkpoint is corrupted: the checksum does not match');
  return { records: (data.PodDeviceEntries ?? []).flatMap(recordOf), registered: data.RegisteredDevices };
}

function recordOf({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: Entry): DeviceRecord[] {
  try {
    const response = decodeMessage(containerAllocateResponse, Buffer.from(AllocResp, 'base64'));
    return [{ podUID: PodUID, containerName: ContainerName, resource: ResourceName, devices: DeviceIDs, response }];
  } catch {
    return [];
  }
}

/** The kubelet's checksum covers a dump of its Go struct. */
function checksum({ PodDeviceEntries, RegisteredDevices }: CheckpointData): number {
  const dump = dumpGoStruct({
    PodDeviceEntries: ['[]checkpoint.PodDevicesEntry', PodDeviceEntries === null ? '<nil>' : dumpGoSlice(PodDeviceEntries.map(dumpEntry))],
    RegisteredDevices: ['map[string][]string', dumpGoMap('string', RegisteredDevices, dumpGoSlice)],
  });
  return fnv1a32(`(checkpoint.checkpointData)${dump}`);
}

const dumpEntry = ({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }: Entry) =>
  dumpGoStruct({
    PodUID: ['string', PodUID],
    ContainerName: ['string', ContainerName],
    ResourceName: ['string', ResourceName],
    DeviceIDs: ['checkpoint.DevicesPerNUMA', dumpGoMap('int', DeviceIDs, dumpGoSlice)],
    AllocResp: ['[]uint8', dumpGoSlice(Buffer.from(AllocResp, 'base64'))],
  });

function entryOf(value: unknown, index: number): Entry {
  const at = `PodDeviceEntries[${index}]`;
  if (!isObject(value)) throw new Error(`${at} is not an object`);
  const text = (name: keyof Entry) => {
    if (typeof value[name] !== 'string') throw new Error(`${at}.${name} is not a string`);
    return value[name];
  };
  if (!isObject(value.DeviceIDs)) throw new Error(`${at}.DeviceIDs is not an object`);
  return {
    PodUID: text('PodUID'),
    ContainerName: text('ContainerName'),
    ResourceName: text('ResourceName'),
    DeviceIDs: Object.fromEntries(Object.entries(value.DeviceIDs).map(([node, ids]) => [node, textsOf(ids, `${at}.DeviceIDs`)])),
    AllocResp: text('AllocResp'),
  };
}

function textsOf(value: unknown, at: string): string[] {
  const list = value ?? [];
  if (!Array.isArray(list) || list.some((each) => typeof each !== 'string')) throw new Error(`${at} is not a list of strings`);
  return list;
}
