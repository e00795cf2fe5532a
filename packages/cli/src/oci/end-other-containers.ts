import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorMessage, type Logger, NodeAgentError, systemClock } from '@nodeagent/api';
import { hasSandboxes, ociFolders, ociRoot, previousProgram } from './oci-state.js';
import type { NodeRuntimeOptions } from './open-node-runtime.js';

/** The folder of the process runtime below the agent's root directory. */
export const processRoot = (rootDir: string) => join(rootDir, 'runtime');

/** Ends the processes that a killed agent has left on the process runtime: an agent on another runtime would start their pods beside them. */
export async function endProcesses(rootDir: string, logger: Logger): Promise<void> {
  const root = processRoot(rootDir);
  if (!existsSync(join(root, 'containers'))) return;
  const { createProcessRuntime } = await import('@nodeagent/process-runtime');
  const previous = createProcessRuntime({ root, clock: systemClock, logger });
  try {
    // It kills what still runs.
    await previous.start();
  } catch (error) {
    // "nodeagent runtime" serves it to another agent.
    if (errorCode(error) === 'RuntimeRootLocked') return;
    throw error;
  }
  await previous.stop();
  rmSync(root, { recursive: true, force: true });
}

/**
 * Removes the pods that an earlier agent has left on the OCI runtime, where they outlive it. Rejects with `CONTAINERS_LEFT` if that is
 * impossible: an agent on another runtime would start them a second time.
 */
export async function endOciContainers(
  rootDir: string,
  options: Pick<NodeRuntimeOptions, 'handlers' | 'cgroupDriver'>,
  logger: Logger,
): Promise<void> {
  const root = ociRoot(rootDir);
  if (!hasSandboxes(root)) return;
  logger.info('removing the pods of an earlier run in containers');
  try {
    const { openNodeRuntime } = await import('./open-node-runtime.js');
    const program = previousProgram(root) ?? 'crun';
    const { runtime, stop } = await openNodeRuntime({ ...ociFolders(rootDir), program, ...options, hasDefaultNetwork: true, logger });
    try {
      const { items } = await runtime.listPodSandbox({});
      for (const { id: podSandboxId } of items) {
        await runtime.stopPodSandbox({ podSandboxId });
        await runtime.removePodSandbox({ podSandboxId });
      }
    } finally {
      await stop();
    }
  } catch (error) {
    throw new NodeAgentError('CONTAINERS_LEFT', `pods of an earlier run in containers are left in ${root}: ${errorMessage(error)}`, {
      hint: 'run the agent with --runtime-endpoint oci as root until they are removed, or restart the machine and delete the folder',
      cause: error,
    });
  }
}
