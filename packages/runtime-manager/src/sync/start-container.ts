import {
  type Container,
  type EphemeralContainer,
  errorCode,
  errorHint,
  errorMessage,
  NodeAgentError,
  type Pod,
  type PodRuntimeStatus,
  type SubPathRequest,
} from '@nodeagent/api';
import { containerReference, type EnvironmentVariable, newestInstance, podUid } from '@nodeagent/api/helpers';
import type { ContainerConfig, LinuxContainerResources } from '@nodeagent/cri-api';
import { generateContainerConfig } from '../config/container-config.js';
import { blockDevices } from '../config/container-devices.js';
import { podIdentity } from '../config/labels.js';
import { containerLogsDirectory, legacyLogSymlink, restartCountFromLogs } from '../config/log-paths.js';
import { bindSubPaths, makeMounts } from '../config/mounts.js';
import { isLeftUnstarted } from '../decide/being-started.js';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { UsableImage } from '../options.js';
import { type RuntimeContext, recordContainerEvent } from '../runtime-context.js';
import { knownImageUser, readImageUser } from '../users/image-user.js';
import { userNamespace } from '../users/user-namespace.js';
import { appliedResources } from './actuated-resources.js';
import { mountedImages } from './image-volumes.js';
import { killContainer } from './kill-container.js';
import { removeContainer } from './remove-container.js';
import { runtimeHandlerOf } from './runtime-handler.js';
import type { SyncSandbox } from './sync-sandbox.js';

export interface ContainerStart {
  pod: Pod;
  container: Container;
  status: PodRuntimeStatus;
  sandbox: SyncSandbox;
}

/**
 * Starts one attempt of a container: image, configuration, creation, start, postStart hook. Records the events. Rejects with an error
 * whose code is the waiting reason.
 */
export async function startContainer(context: RuntimeContext, request: ContainerStart): Promise<void> {
  const { pod, container, sandbox } = request;
  const { cri } = context;
  const event = (type: 'Normal' | 'Warning', reason: string, message: string, containerId?: string, cause?: unknown) =>
    recordContainerEvent(context, pod, container, { type, reason, message, hint: errorHint(cause), ...(containerId && { containerId }) });
  const failed = (code: string, cause: unknown, containerId?: string): NodeAgentError => {
    event('Warning', 'Failed', `Error: ${errorMessage(cause)}`, containerId, cause);
    return new NodeAgentError(code, errorMessage(cause), { retryable: true, cause, details: { container: container.name } });
  };
  const failedHook = (code: string, hook: string, cause: unknown, containerId?: string): NodeAgentError => {
    event('Warning', 'Failed', `Internal ${hook} hook failed: ${errorMessage(cause)}`, containerId, cause);
    return new NodeAgentError(code, errorMessage(cause), { retryable: true, cause, details: { container: container.name } });
  };

  const image = await ensureImage(context, request, (code) => event('Warning', 'Failed', `Error: ${code}`));
  const imageVolumes = findImageVolumes(request, (message) => event('Warning', 'Failed', `Error: ${message}`));

  let config: ContainerConfig;
  let subPaths: SubPathRequest[];
  try {
    ({ config, subPaths } = await makeConfig(context, request, { image, imageVolumes }));
  } catch (error) {
    throw failed(runtimeManagerErrorCodes.createContainerConfig, error);
  }
  // Saved before the container exists: without a record an agent takes the resources of a later resize for those of the container.
  context.actuated.set(podIdentity(pod).uid, container.name, appliedResources(pod, container));
  await Promise.all([context.actuated.saved(), context.options.allocationsSaved?.()]);

  try {
    config = withResources(config, await context.ports.containerLifecycle?.preCreate?.(pod, container));
  } catch (error) {
    throw failedHook(runtimeManagerErrorCodes.preCreateHook, 'PreCreateContainer', error);
  }

  let containerId: string;
  try {
    await removeUnstarted(context, request);
    await bindSubPaths(context.mountSources, subPaths);
    ({ containerId } = await cri.createContainer({ podSandboxId: sandbox.id, config, sandboxConfig: sandbox.config }));
  } catch (error) {
    throw failed(runtimeManagerErrorCodes.createContainer, error);
  }
  try {
    await context.ports.containerLifecycle?.preStart?.(pod, container, containerId);
  } catch (error) {
    throw failedHook(runtimeManagerErrorCodes.preStartHook, 'PreStartContainer', error, containerId);
  }
  event('Normal', 'Created', 'Container created', containerId);

  try {
    await cri.startContainer({ containerId });
  } catch (error) {
    throw failed(runtimeManagerErrorCodes.runContainer, error, containerId);
  }
  event('Normal', 'Started', 'Container started', containerId);

  await linkLegacyLog(context, request, config, containerId);
  await runPostStart(context, request, containerId);
}

function withResources(config: ContainerConfig, resources: LinuxContainerResources | undefined): ContainerConfig {
  return resources ? { ...config, linux: { ...config.linux, resources: { ...config.linux?.resources, ...resources } } } : config;
}

async function ensureImage(
  { ports: { images } }: RuntimeContext,
  { pod, container, sandbox }: ContainerStart,
  onFailure: (code: string) => void,
): Promise<UsableImage> {
  const { image = '', imagePullPolicy: pullPolicy } = container;
  const object = containerReference(pod, container.name);
  const { runtimeHandler, config: sandboxConfig } = sandbox;
  try {
    const request = { object, pod, image, pullPolicy, sandboxConfig, ...(runtimeHandler && { runtimeHandler }) };
    return await images.ensureImageExists(request);
  } catch (error) {
    const code = errorCode(error) ?? 'ErrImagePull';
    onFailure(code);
    throw imageError(error);
  }
}

function findImageVolumes({ container, sandbox }: ContainerStart, onFailure: (message: string) => void): Map<string, string> {
  try {
    return mountedImages(container, sandbox.imageVolumes ?? new Map());
  } catch (error) {
    onFailure(errorMessage(error));
    throw imageError(error);
  }
}

/** An error whose code is a waiting reason. */
function imageError(error: unknown): Error {
  if (error instanceof Error && errorCode(error) !== undefined) return error;
  return new NodeAgentError('ErrImagePull', errorMessage(error), { retryable: true, cause: error });
}

/** Removes the previous attempt if the runtime may still start it: otherwise two attempts could run at once. */
async function removeUnstarted(context: RuntimeContext, { container, status }: ContainerStart): Promise<void> {
  const before = newestInstance(status.containerStatuses, container.name);
  if (before && isLeftUnstarted(before, context.agentStartedAt)) await removeContainer(context, before.id, { keepLogs: true });
}

/** One more than the newest attempt; without attempts in the runtime, one more than the newest log. */
async function nextRestartCount(
  { files, logger, options: { podLogsDir } }: RuntimeContext,
  pod: Pod,
  container: Container,
  status: PodRuntimeStatus,
): Promise<number> {
  const newest = newestInstance(status.containerStatuses, container.name);
  if (newest) return newest.restartCount + 1;
  const folder = containerLogsDirectory(podLogsDir, podIdentity(pod), container.name);
  const names = await files.list(folder).catch((error: unknown) => {
    logger.warn({ folder, err: error }, 'cannot list the logs of earlier attempts, counting restarts from 0');
    return [];
  });
  return restartCountFromLogs(names);
}

async function makeConfig(
  context: RuntimeContext,
  { pod, container, status, sandbox }: ContainerStart,
  { image, imageVolumes }: { image: UsableImage; imageVolumes: ReadonlyMap<string, string> },
): Promise<{ config: ContainerConfig; subPaths: SubPathRequest[] }> {
  const { options, ports, settings, files, mountSources } = context;
  const targetContainerId = ephemeralTarget(pod, container, status);
  const imageUser = image.user ? knownImageUser(image.user) : await readImageUser(context.imageService, container.image ?? '');
  const {
    devices = [],
    cdiDevices,
    mounts: deviceMounts = [],
    ...added
  } = (await ports.deviceOptions?.(pod, container, options.signal)) ?? {};
  const variables = { ...added.environment, ...(await ports.environment(pod, container, sandbox.podIps)) };
  const environment: EnvironmentVariable[] = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const [restartCount, { mounts, subPaths }] = await Promise.all([
    nextRestartCount(context, pod, container, status),
    makeMounts(mountSources, pod, container, {
      podIps: sandbox.podIps,
      environment,
      imageVolumes,
      canRecursiveReadOnly: async () => (await context.handlers.features(await runtimeHandlerOf(context, pod))).recursiveReadOnlyMounts,
    }),
    files.makeDirectory(containerLogsDirectory(options.podLogsDir, podIdentity(pod), container.name), 0o755),
  ]);
  const config = generateContainerConfig(pod, container, {
    imageRef: image.imageRef,
    imageUser,
    restartCount,
    environment,
    mounts: [...deviceMounts, ...mounts],
    devices: [...devices, ...blockDevices(container, mountSources.mountedVolumes(podUid(pod)))],
    cdiDevices,
    annotations: added.annotations,
    exclusiveCpus: options.hasExclusiveCpus?.(pod, container),
    stopSignals: settings.featureGates.ContainerStopSignals,
    resources: context.resources,
    extraGroups: options.extraSupplementalGroups?.(pod) ?? [],
    userNamespace: await userNamespace(context, pod),
    seccompDir: options.seccompDir ?? '/var/lib/kubelet/seccomp',
    seccompDefault: settings.seccompDefault,
    maskedPaths: options.machine?.maskedPaths ?? [],
    targetContainerId,
  });
  return { config, subPaths };
}

/** The id of the container whose process namespace an ephemeral container joins. */
function ephemeralTarget(pod: Pod, container: Container, status: PodRuntimeStatus): string | undefined {
  const ephemeral: EphemeralContainer | undefined = pod.spec?.ephemeralContainers?.find(({ name }) => name === container.name);
  if (!ephemeral?.targetContainerName) return undefined;
  const target = newestInstance(status.containerStatuses, ephemeral.targetContainerName);
  if (target) return target.id;
  throw new NodeAgentError(
    runtimeManagerErrorCodes.createContainerConfig,
    `unable to find target container ${ephemeral.targetContainerName}`,
  );
}

/** A failure is only logged: the link is for older log collectors, the container does not need it. */
async function linkLegacyLog(
  { files, legacyLogsDir, logger }: RuntimeContext,
  { pod, container, sandbox }: ContainerStart,
  { logPath }: ContainerConfig,
  containerId: string,
): Promise<void> {
  const target = `${sandbox.config.logDirectory}/${logPath}`;
  const link = legacyLogSymlink(legacyLogsDir, podIdentity(pod), container.name, containerId);
  try {
    if (link && (await files.exists(target))) await files.symlink(target, link);
  } catch (error) {
    logger.warn({ link, target, err: error }, 'cannot create the legacy link to the log');
  }
}

async function runPostStart(context: RuntimeContext, request: ContainerStart, containerId: string): Promise<void> {
  const { pod, container, sandbox } = request;
  const handler = container.lifecycle?.postStart;
  if (!handler) return;
  try {
    await context.hooks.run({ pod, container, containerId, handler, podIp: async () => sandbox.podIps[0] }, context.options.signal);
  } catch (cause) {
    context.logger.warn({ containerName: container.name, containerID: containerId, err: cause }, 'postStart hook failed');
    const failure = { type: 'Warning', reason: 'FailedPostStartHook', message: 'PostStartHook failed', containerId } as const;
    recordContainerEvent(context, pod, container, failure);
    const kill = { message: 'FailedPostStartHook', reason: 'FailedPostStartHook' } as const;
    await killContainer(context, { pod, containerId, containerName: container.name, ...kill }).catch((error: unknown) => {
      context.logger.warn({ containerID: containerId, err: error }, 'cannot stop the container whose postStart hook failed');
    });
    throw new NodeAgentError(runtimeManagerErrorCodes.postStartHook, errorMessage(cause), { retryable: true, cause });
  }
}
