import type { Logger } from '@nodeagent/api';
import type { AllocateResponse, DeviceRecord } from './pod-devices.js';

/** What a container gets with its devices, as the CRI names it. */
export interface DeviceRunOptions {
  environment: Record<string, string>;
  mounts: { containerPath: string; hostPath: string; readonly: boolean }[];
  devices: AllocateResponse['devices'];
  annotations: Record<string, string>;
  /** Qualified CDI names, such as `vendor.com/gpu=0`, each once. */
  cdiDevices: { name: string }[];
}

/**
 * Merges the responses for all resources of a container: the first of two variables, mounts, devices or annotations of one name counts.
 * Mounts and devices are named by their container path. Conflicts are logged.
 */
export function deviceRunOptions(records: readonly DeviceRecord[], logger?: Logger): DeviceRunOptions {
  const envs = new Map<string, string>();
  const mounts = new Map<string, AllocateResponse['mounts'][number]>();
  const devices = new Map<string, AllocateResponse['devices'][number]>();
  const annotations = new Map<string, string>();
  const cdiNames = new Set<string>();

  function add<T>(merged: Map<string, T>, key: string, value: T, kind: string, resource: string): void {
    const first = merged.get(key);
    if (first === undefined) merged.set(key, value);
    else if (JSON.stringify(first) !== JSON.stringify(value))
      logger?.error({ resource, [kind]: key }, `conflicting ${kind} of two devices, using the first`);
  }

  for (const { resource, response } of records) {
    for (const [name, value] of Object.entries(response.envs)) add(envs, name, value, 'variable', resource);
    for (const mount of response.mounts) add(mounts, mount.containerPath, mount, 'mount', resource);
    for (const device of response.devices) add(devices, device.containerPath, device, 'device', resource);
    for (const [name, value] of Object.entries(response.annotations)) add(annotations, name, value, 'annotation', resource);
    for (const { name } of response.cdiDevices) cdiNames.add(name);
  }
  return {
    environment: Object.fromEntries(envs),
    mounts: Array.from(mounts.values(), ({ containerPath, hostPath, readOnly }) => ({ containerPath, hostPath, readonly: readOnly })),
    devices: [...devices.values()],
    annotations: Object.fromEntries(annotations),
    cdiDevices: Array.from(cdiNames, (name) => ({ name })),
  };
}
