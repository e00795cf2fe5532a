import { crc32 } from 'node:zlib';
import { isObject } from '@nodeagent/api/helpers';
import type { ClaimInfo, PreparedDevice } from './claim-info.js';

const kind = 'DRACheckpoint';
const apiVersion = 'checkpoint.dra.kubelet.k8s.io/v1';

/** Encodes the file `dra_manager_state` as a kubelet does: JSON within JSON, with the CRC-32 of the inner text. */
export function encodeDraCheckpoint(claims: readonly ClaimInfo[]): string {
  const Entries = claims.map(({ claimUID, claimName, namespace, podUIDs, drivers }) => ({
    ClaimUID: claimUID,
    ClaimName: claimName,
    Namespace: namespace,
    PodUIDs: Object.fromEntries([...podUIDs].sort().map((uid) => [uid, {}])),
    DriverState: Object.fromEntries(
      Object.entries(drivers)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([driver, devices]) => [driver, { Devices: devices.length === 0 ? null : devices.map(encodeDevice) }]),
    ),
  }));
  const Data = JSON.stringify({ kind, apiVersion, Entries });
  return JSON.stringify({ Data, Checksum: crc32(Buffer.from(Data)) });
}

const encodeDevice = ({ poolName, deviceName, shareID, requestNames, cdiDeviceIDs }: PreparedDevice) => ({
  PoolName: poolName,
  DeviceName: deviceName,
  ShareID: shareID ?? null,
  RequestNames: requestNames,
  CDIDeviceIDs: cdiDeviceIDs,
});

/** Decodes a file of {@link encodeDraCheckpoint} or of a kubelet. Throws an Error that describes the problem. */
export function decodeDraCheckpoint(text: string): ClaimInfo[] {
  const file: unknown = JSON.parse(text);
  if (!isObject(file) || typeof file.Data !== 'string') throw new Error('"Data" is not a string');
  if (file.Checksum !== crc32(Buffer.from(file.Data))) throw new Error('checkpoint is corrupted: the checksum does not match');
  const data: unknown = JSON.parse(file.Data);
  if (!isObject(data) || data.kind !== kind || data.apiVersion !== apiVersion) throw new Error(`"Data" is not a ${kind} of ${apiVersion}`);
  return listOf(data.Entries, 'Entries').map((entry, index) => decodeEntry(entry, `Entries[${index}]`));
}

function decodeEntry(entry: unknown, at: string): ClaimInfo {
  if (!isObject(entry)) throw new Error(`${at} is not an object`);
  const drivers = Object.entries(objectOf(entry.DriverState, `${at}.DriverState`)).map(([driver, state]) => {
    const devices = listOf(objectOf(state, `${at}.DriverState`).Devices, `${at}.Devices`);
    return [driver, devices.map((device) => decodeDevice(device, `${at}.Devices`))];
  });
  return {
    claimUID: textOf(entry.ClaimUID, `${at}.ClaimUID`),
    claimName: textOf(entry.ClaimName, `${at}.ClaimName`),
    namespace: textOf(entry.Namespace, `${at}.Namespace`),
    podUIDs: new Set(Object.keys(objectOf(entry.PodUIDs, `${at}.PodUIDs`))),
    drivers: Object.fromEntries(drivers),
  };
}

function decodeDevice(value: unknown, at: string): PreparedDevice {
  const device = objectOf(value, at);
  const { ShareID } = device;
  return {
    poolName: textOf(device.PoolName, `${at}.PoolName`),
    deviceName: textOf(device.DeviceName, `${at}.DeviceName`),
    ...(ShareID !== undefined && ShareID !== null && { shareID: textOf(ShareID, `${at}.ShareID`) }),
    requestNames: listOf(device.RequestNames, at).map((name) => textOf(name, `${at}.RequestNames`)),
    cdiDeviceIDs: listOf(device.CDIDeviceIDs, at).map((id) => textOf(id, `${at}.CDIDeviceIDs`)),
  };
}

function objectOf(value: unknown, at: string): Record<string, unknown> {
  const object = value ?? {};
  if (!isObject(object)) throw new Error(`${at} is not an object`);
  return object;
}

function listOf(value: unknown, at: string): unknown[] {
  const list = value ?? [];
  if (!Array.isArray(list)) throw new Error(`${at} is not a list`);
  return list;
}

function textOf(value: unknown, at: string): string {
  if (typeof value !== 'string') throw new Error(`${at} is not a string`);
  return value;
}
