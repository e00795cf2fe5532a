import { type Container, type MountedVolume, NodeAgentError, type Pod } from '@nodeagent/api';
import type { CDIDevice, Device, LinuxContainerResources, Mount } from '@nodeagent/cri-api';
import { runtimeManagerErrorCodes } from '../errors.js';

/** What device plugins and dynamic resources add to a container. */
export interface ContainerDeviceOptions {
  devices?: readonly Device[];
  /** Devices by their CDI names. */
  cdiDevices?: readonly CDIDevice[];
  mounts?: readonly Mount[];
  /** Variables by name. A variable of the same name in the spec takes precedence. */
  environment?: Readonly<Record<string, string>>;
  /** Annotations of the container. The runtime manager's own annotations take precedence. */
  annotations?: Readonly<Record<string, string>>;
}

/** Callbacks around a container's lifecycle, for example to assign CPUs. If `preCreate` or `preStart` rejects, the start fails with a separate waiting reason. */
export interface ContainerLifecycle {
  /** Called before the container is created. Returns resources that override the computed ones, such as `cpusetCpus`. */
  preCreate?(pod: Pod, container: Container): Promise<LinuxContainerResources>;
  /** Called after the container is created and before it starts. */
  preStart?(pod: Pod, container: Container, containerId: string): Promise<void>;
  /** Called after the container has stopped, possibly several times. A rejection is logged. */
  postStop?(containerId: string): Promise<void>;
}

/** The block volumes of a container as devices. Throws CreateContainerConfigError if a volume is missing. */
export function blockDevices(container: Container, volumes: ReadonlyMap<string, MountedVolume>): Device[] {
  return (container.volumeDevices ?? []).map(({ name, devicePath }) => {
    const volume = volumes.get(name);
    if (volume?.block) return { containerPath: devicePath, hostPath: volume.hostPath, permissions: volume.readOnly ? 'r' : 'mrw' };
    throw new NodeAgentError(
      runtimeManagerErrorCodes.createContainerConfig,
      `cannot find volume "${name}" to pass into container "${container.name}"`,
    );
  });
}
