import { errorMessage, type Pod, podReference } from '@nodeagent/api';
import type { PodSandboxConfig } from '@nodeagent/cri-api';
import { invalidAnswer } from './cri-calls.js';
import { podIdentity } from './labels.js';
import { podLogsDirectory } from './log-paths.js';
import { sandboxIps } from './pod-status.js';
import type { RuntimeContext } from './runtime-context.js';
import { generateSandboxConfig } from './sandbox-config.js';
import { userNamespace } from './user-namespace.js';

/** The configuration of a pod's sandbox from the manager's ports. Throws what they throw. */
export function makeSandboxConfig(context: RuntimeContext, pod: Pod, attempt: number): PodSandboxConfig {
  const { options, resources, mountSources } = context;
  return generateSandboxConfig(pod, {
    attempt,
    podLogsDir: options.podLogsDir,
    dns: options.dns(pod),
    clusterDomain: mountSources.clusterDomain,
    cgroupParent: options.cgroupParent?.(pod) ?? '',
    resources,
    extraGroups: options.extraSupplementalGroups?.(pod) ?? [],
    userNamespace: userNamespace(options, pod),
  });
}

/** The CRI handler of the pod's runtime class; empty for the default one. */
export async function runtimeHandlerOf({ options }: RuntimeContext, pod: Pod): Promise<string> {
  const name = pod.spec?.runtimeClassName;
  if (!name) return '';
  if (options.runtimeHandler === undefined) throw new Error(`failed to get RuntimeClass ${name}: no runtime classes are configured`);
  return options.runtimeHandler(name);
}

/** Makes a pod's log folder and its sandbox. Rejects with the text for the FailedCreatePodSandBox event. */
export async function createSandbox(context: RuntimeContext, pod: Pod, attempt: number): Promise<{ id: string; runtimeHandler: string }> {
  const { cri, files, options } = context;
  const config = makeSandboxConfig(context, pod, attempt);
  await files.makeDirectory(config.logDirectory ?? podLogsDirectory(options.podLogsDir, podIdentity(pod)), 0o755);
  const runtimeHandler = await runtimeHandlerOf(context, pod);
  const { podSandboxId } = await cri.runPodSandbox({ config, ...(runtimeHandler && { runtimeHandler }) });
  return { id: podSandboxId, runtimeHandler };
}

/** The addresses of a sandbox just made; none for a pod on the host's network. Rejects after a FailedPodSandBoxStatus event. */
export async function newSandboxIps(context: RuntimeContext, pod: Pod, sandboxId: string): Promise<string[]> {
  try {
    const { status } = await context.cri.podSandboxStatus({ podSandboxId: sandboxId });
    if (!status) throw invalidAnswer('PodSandboxStatus', 'status');
    return pod.spec?.hostNetwork ? [] : sandboxIps(status.network);
  } catch (error) {
    const text = `Unable to get pod sandbox status: ${errorMessage(error)}`;
    context.recorder.event(podReference(pod), 'Warning', 'FailedPodSandBoxStatus', text);
    throw error;
  }
}
