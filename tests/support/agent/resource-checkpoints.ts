import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the checkpoints of an agent assign to containers, by pod UID; each pod has one container. */
export interface ResourceCheckpoints {
  /** CPU lists of `cpu_manager_state`, and the CPUs of all other containers. */
  exclusiveCpus: Record<string, string>;
  sharedCpus: string;
  /** UIDs in `memory_manager_state`, sorted. */
  memory: string[];
  /** Device ids of `kubelet_internal_checkpoint`. */
  devices: Record<string, string[]>;
}

/** Reads the checkpoints below the agent's root directory. */
export function readResourceCheckpoints(rootDir: string): ResourceCheckpoints {
  const read = (file: string) => JSON.parse(readFileSync(join(rootDir, file), 'utf8'));
  const cpus = read('cpu_manager_state');
  const entries: Record<string, Record<string, string>> = cpus.entries ?? {};
  const devices = read('device-plugins/kubelet_internal_checkpoint').Data;
  const pods: { PodUID: string; DeviceIDs: Record<string, string[]> }[] = devices.PodDeviceEntries ?? [];
  return {
    exclusiveCpus: Object.fromEntries(Object.entries(entries).map(([uid, containers]) => [uid, Object.values(containers).join()])),
    sharedCpus: cpus.defaultCpuSet,
    memory: Object.keys(read('memory_manager_state').entries ?? {}).sort(),
    devices: Object.fromEntries(pods.map(({ PodUID, DeviceIDs }) => [PodUID, Object.values(DeviceIDs).flat()])),
  };
}
