import { fileSystemUsage } from '@nodeagent/api/files';
import { containerCgroupFolder, podCgroupFolder, podCgroupParent } from '../spec/cgroup-path.js';
import type { CgroupFacts } from '../spec/machine.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { mountSource } from './block-devices.js';
import { type CgroupDetails, readCgroupDetails } from './cgroup-details.js';
import type { LayerFileSystem, MetricContainer } from './metric-kinds.js';
import { readProcessDetails } from './process-details.js';

/** Reads what only metrics report. */
export interface MetricReaders {
  /** Of the pod's cgroup; without values for a pod that has none. */
  sandbox(record: SandboxRecord): CgroupDetails;
  container(record: ContainerRecord): Promise<Pick<MetricContainer, 'details' | 'processes'>>;
  fileSystem(): Promise<LayerFileSystem>;
}

export interface MetricReaderPorts {
  cgroups: CgroupFacts;
  /** The folder of the writable layers. */
  layersFolder: string;
  sandboxOf(podSandboxId: string): SandboxRecord | undefined;
}

export function createMetricReaders({ cgroups: { driver, version }, layersFolder, sandboxOf }: MetricReaderPorts): MetricReaders {
  return {
    sandbox({ config }) {
      const parent = config.linux?.cgroupParent;
      return parent ? readCgroupDetails(podCgroupFolder(parent, driver), version) : { devices: [] };
    },
    async container({ id, podSandboxId, process }) {
      const cgroup = containerCgroupFolder(podCgroupParent(sandboxOf(podSandboxId)?.config ?? {}, driver), id, driver);
      return { details: readCgroupDetails(cgroup, version), processes: await readProcessDetails({ cgroup, version, first: process }) };
    },
    async fileSystem() {
      const { capacityBytes = 0n, inodes = 0n, inodesFree = 0n } = await fileSystemUsage(layersFolder);
      return { device: mountSource(layersFolder), capacityBytes, inodes, inodesFree };
    },
  };
}
