import type { Container, Pod } from '@nodeagent/api';
import { type EnvironmentVariable, expandContainerArgs, expandContainerCommand } from '@nodeagent/api/helpers';
import type { CDIDevice, ContainerConfig, Device, Mount, Signal, UserNamespace } from '@nodeagent/cri-api';
import { hashContainer } from '../decide/hash-container.js';
import { verifyRunAsNonRoot } from '../users/run-as-non-root.js';
import { containerAnnotations, containerLabels } from './labels.js';
import { type LinuxResourceSettings, linuxContainerResources } from './linux-resources.js';
import { containerLogPath } from './log-paths.js';
import { type ContainerSecurityInputs, containerSecurityContext } from './security-context.js';

export interface ContainerConfigInputs extends ContainerSecurityInputs {
  /** The image reference that `ensureImageExists` returned. */
  imageRef: string;
  restartCount: number;
  /** The resolved environment. If a name occurs twice, the last value is used. */
  environment: readonly EnvironmentVariable[];
  mounts: readonly Mount[];
  resources: LinuxResourceSettings;
  /** Default none. */
  devices?: readonly Device[] | undefined;
  /** Default none. */
  cdiDevices?: readonly CDIDevice[] | undefined;
  /** Annotations from device plugins. The runtime manager's own annotations take precedence. Default none. */
  annotations?: Readonly<Record<string, string>> | undefined;
  /** Whether the container has exclusive CPUs and so no CPU quota. Default false. */
  exclusiveCpus?: boolean | undefined;
  /** Whether `lifecycle.stopSignal` is used. Default false. */
  stopSignals?: boolean | undefined;
}

/** The CRI configuration of one attempt of a container. Throws CreateContainerConfigError if the spec is invalid. */
export function generateContainerConfig(pod: Pod, container: Container, inputs: ContainerConfigInputs): ContainerConfig {
  verifyRunAsNonRoot(pod, container, inputs.imageUser);
  const { name, image = '', workingDir = '', stdin = false, stdinOnce = false, tty = false } = container;
  const { environment, restartCount, userNamespace, devices = [], cdiDevices = [], exclusiveCpus = false } = inputs;
  const stopSignal = inputs.stopSignals ? container.lifecycle?.stopSignal : undefined;
  const encoder = new TextEncoder();
  return {
    metadata: { name, attempt: restartCount },
    image: { image: inputs.imageRef, userSpecifiedImage: image },
    command: expandContainerCommand(container, environment),
    args: expandContainerArgs(container, environment),
    workingDir,
    envs: environment.map(({ name: key, value }) => ({ key, value: encoder.encode(value) })),
    mounts: inputs.mounts.map((mount) => mappedMount(mount, userNamespace)),
    ...(devices.length > 0 && { devices: [...devices] }),
    ...(cdiDevices.length > 0 && { cdiDevices: [...cdiDevices] }),
    labels: containerLabels(pod, container),
    annotations: { ...inputs.annotations, ...containerAnnotations(pod, container, hashContainer(container), restartCount) },
    logPath: containerLogPath(name, restartCount),
    stdin,
    stdinOnce,
    tty,
    ...(stopSignal && { stopSignal: stopSignal as Signal }),
    linux: {
      resources: linuxContainerResources(pod, container, inputs.resources, { exclusiveCpus }),
      securityContext: containerSecurityContext(pod, container, inputs),
    },
  };
}

/** With a separate user namespace the mount needs the container's id mappings. */
function mappedMount(mount: Mount, { uids, gids }: UserNamespace): Mount {
  return uids && gids ? { ...mount, uidMappings: uids, gidMappings: gids } : mount;
}
