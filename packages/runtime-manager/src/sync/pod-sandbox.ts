import { errorMessage, type Pod } from '@nodeagent/api';
import { podReference, podUid } from '@nodeagent/api/helpers';
import type { PodSandboxConfig } from '@nodeagent/cri-api';
import { podIdentity } from '../config/labels.js';
import { podLogsDirectory } from '../config/log-paths.js';
import { generateSandboxConfig } from '../config/sandbox-config.js';
import { invalidAnswer } from '../cri/call-errors.js';
import type { RuntimeContext } from '../runtime-context.js';
import { toSandboxStatus } from '../status/container-status.js';
import { sandboxIps } from '../status/pod-status.js';
import { userNamespace } from '../users/user-namespace.js';
import { runtimeHandlerOf } from './runtime-handler.js';

/** The configuration of a pod's sandbox, from the manager's options. Rejects with their errors. */
export async function makeSandboxConfig(context: RuntimeContext, pod: Pod, attempt: number): Promise<PodSandboxConfig> {
  const { options, resources, mountSources } = context;
  return generateSandboxConfig(pod, {
    attempt,
    podLogsDir: options.podLogsDir,
    dns: options.dns(pod),
    clusterDomain: mountSources.clusterDomain,
    cgroupParent: options.cgroupParent?.(pod) ?? '',
    resources,
    extraGroups: options.extraSupplementalGroups?.(pod) ?? [],
    userNamespace: await userNamespace(context, pod),
  });
}

/**
 * Creates a pod's log folder and its sandbox; undefined if the pod's termination was requested meanwhile. Rejects with the message for the
 * FailedCreatePodSandBox event.
 */
export async function createSandbox(context: RuntimeContext, pod: Pod, attempt: number): Promise<string | undefined> {
  const { cri, files, options } = context;
  const config = await makeSandboxConfig(context, pod, attempt);
  await files.makeDirectory(config.logDirectory ?? podLogsDirectory(options.podLogsDir, podIdentity(pod)), 0o755);
  const runtimeHandler = await runtimeHandlerOf(context, pod);
  if (context.podState.isPodTerminationRequested(podUid(pod))) return undefined;
  const { podSandboxId } = await cri.runPodSandbox({ config, ...(runtimeHandler && { runtimeHandler }) });
  return podSandboxId;
}

/**
 * The IP addresses of a new sandbox; none for a pod in the host network. Reports the status that has them. Records a FailedPodSandBoxStatus
 * event before it rejects.
 */
export async function newSandboxIps(context: RuntimeContext, pod: Pod, sandboxId: string): Promise<string[]> {
  try {
    const { status } = await context.cri.podSandboxStatus({ podSandboxId: sandboxId });
    if (!status) throw invalidAnswer('PodSandboxStatus', 'status');
    const { id } = status;
    const sandbox = { ...podIdentity(pod), status: toSandboxStatus(status) };
    context.listener.onChange?.({ podUid: sandbox.uid, id, podSandboxId: id, sandbox });
    return pod.spec?.hostNetwork ? [] : sandboxIps(status.network);
  } catch (error) {
    const text = `Unable to get pod sandbox status: ${errorMessage(error)}`;
    context.recorder.event(podReference(pod), 'Warning', 'FailedPodSandBoxStatus', text);
    throw error;
  }
}
