import { milliCpuToShares, Quantity } from '@nodeagent/api/helpers';
import type { ContainerConfig, LinuxContainerResources } from '@nodeagent/cri-api';
import type { Invariant } from './snapshot.js';

/** What the checkpoints of a machine have about one container. */
export interface SavedContainer {
  /** The CPU requests of its allocations, undefined for one without. */
  cpus: readonly (string | undefined)[];
  devices: readonly string[] | undefined;
  exclusiveCpus: string | undefined;
}

/** A call of an agent that gives resources to a container. */
export interface ResourceCall {
  /** `<pod UID>/<container>` */
  container: string;
  resources: LinuxContainerResources | undefined;
  /** The container's CPU shares before the call; undefined if the call creates it. */
  sharesBefore?: bigint | undefined;
  devices?: ContainerConfig['devices'];
}

/** The entry of a container in the checkpoint of the device manager, and in that of the CPU manager. */
export function savedIn(
  deviceCheckpoint: string | undefined,
  cpuState: string | undefined,
  uid: string,
  name: string,
): Pick<SavedContainer, 'devices' | 'exclusiveCpus'> {
  const { Data } = JSON.parse(deviceCheckpoint ?? '{}') as { Data?: { PodDeviceEntries?: DeviceEntry[] | null } };
  const entries = (Data?.PodDeviceEntries ?? []).filter((entry) => entry.PodUID === uid && entry.ContainerName === name);
  const { entries: cpus } = JSON.parse(cpuState ?? '{}') as { entries?: Record<string, Record<string, string>> };
  return {
    devices: entries.length === 0 ? undefined : entries.flatMap(({ DeviceIDs }) => Object.values(DeviceIDs).flat()),
    exclusiveCpus: cpus?.[uid]?.[name],
  };
}

interface DeviceEntry {
  PodUID: string;
  ContainerName: string;
  DeviceIDs: Record<string, string[]>;
}

const sharesOf = (cpu = '0') => BigInt(milliCpuToShares(Number(Quantity.parse(cpu).milliValue())));

/** The exclusive CPUs of a container have no quota. */
const withoutQuota = -1n;

/** Which resources of the call the next agent would not know of. */
export function unsaved({ container, resources, sharesBefore, devices = [] }: ResourceCall, saved: SavedContainer): string[] {
  const { cpuShares = 0n, cpuQuota, cpusetCpus } = resources ?? {};
  const isCreated = sharesBefore === undefined;
  const wrong: string[] = [];
  if (isCreated && saved.cpus.length === 0) wrong.push('its allocation is not saved');
  if (cpuShares > 0n && cpuShares !== sharesBefore && !saved.cpus.some((cpu) => sharesOf(cpu) === cpuShares))
    wrong.push(`its ${cpuShares} CPU shares are not those of the saved ${saved.cpus.join(' ')}`);
  if (isCreated && cpuQuota === withoutQuota && cpusetCpus !== saved.exclusiveCpus)
    wrong.push(`its CPUs ${cpusetCpus} are not the saved ones ${saved.exclusiveCpus}`);
  const given = devices.map(({ hostPath = '' }) => hostPath.slice('/dev/'.length));
  const missing = given.filter((id) => !saved.devices?.includes(id));
  if (missing.length > 0) wrong.push(`its devices ${missing.join(' ')} are not saved`);
  return wrong.map((what) => `${container} gets resources, but ${what}`);
}

/** A container gets only resources that a checkpoint has: after a kill the next agent knows who has them. */
export const savedFirst: Invariant = ({ history }) => history.unsaved;
