import { join } from 'node:path';
import { type Clock, errorCode, NodeAgentError, type Runtime, systemClock, type VolumeUsage } from '@nodeagent/api';
import { fileSystemUsage } from '@nodeagent/api/files';
import { formatTime, podFullName, quoteText } from '@nodeagent/api/helpers';
import type { RuntimeService } from '@nodeagent/cri-api';
import { serverErrorCodes } from '../errors.js';
import type { CheckpointContainer, RunInContainer } from '../ports.js';
import { runningContainerId } from './running-container.js';

export interface RunInContainerOptions {
  runtime: Pick<Runtime, 'getPod'>;
  cri: Pick<RuntimeService, 'execSync'>;
}

/** Runs commands by ExecSync. Rejects with `CommandFailed` if the exit code is not 0. */
export function createRunInContainer(options: RunInContainerOptions): RunInContainer {
  const { runtime, cri } = options;
  return async (pod, name, command, signal) => {
    const containerId = await runningContainerId(runtime, pod, name, `container not found (${quoteText(name)})`, signal);
    const { stdout, stderr, exitCode } = await cri.execSync({ containerId, cmd: [...command] }, { signal });
    if (exitCode === 0) return Buffer.concat([stdout, stderr]);
    const text = `command '${command.join(' ')}' exited with ${exitCode}: ${Buffer.from(stderr).toString()}`;
    throw new NodeAgentError(serverErrorCodes.commandFailed, text, { details: { exitCode } });
  };
}

export interface CheckpointContainerOptions {
  runtime: Pick<Runtime, 'getPod'>;
  cri: Pick<RuntimeService, 'checkpointContainer'>;
  files: { makeDirectory(path: string, mode: number): Promise<void> };
  /** The agent's root directory; checkpoints are written to its subdirectory `checkpoints`. */
  rootDir: string;
  /** Usage of the file system that contains the path. Default: that of the machine. */
  usage?(path: string): Promise<Pick<VolumeUsage, 'availableBytes' | 'capacityBytes'>>;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
}

/** Below a tenth of the file system an agent evicts pods by default: `nodefs.available<10%`. */
const minAvailableDivisor = 10n;

/**
 * Writes checkpoints into `<rootDir>/checkpoints`: Kubernetes documentation, Kubelet Checkpoint API. Rejects with `CheckpointRefused` while another one is
 * in progress, and while less than 10 % of the file system is available.
 */
export function createCheckpointContainer(options: CheckpointContainerOptions): CheckpointContainer {
  const { runtime, cri, files, rootDir, usage = fileSystemUsage, clock = systemClock } = options;
  let isBusy = false;

  async function requireSpace(folder: string): Promise<void> {
    // A folder in memory, as in tests, fills no disk. What else hides the space refuses the checkpoint.
    const found = await usage(folder).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
    if (found === undefined || found.availableBytes * minAvailableDivisor >= found.capacityBytes) return;
    throw refused(`less than 10 % of the file system of ${folder} is available`);
  }

  const write: CheckpointContainer = async (pod, name, timeout, signal) => {
    const containerId = await runningContainerId(runtime, pod, name, `container ${name} not found`, signal);
    const folder = join(rootDir, 'checkpoints');
    await files.makeDirectory(folder, 0o700);
    await requireSpace(folder);
    const location = join(folder, `checkpoint-${podFullName(pod)}-${name}-${formatTime(clock.now())}.tar`);
    await cri.checkpointContainer({ containerId, location, timeout }, { signal });
    return location;
  };
  return async (...request) => {
    if (isBusy) throw refused('another checkpoint is in progress');
    isBusy = true;
    try {
      return await write(...request);
    } finally {
      isBusy = false;
    }
  };
}

const refused = (message: string) => new NodeAgentError(serverErrorCodes.checkpointRefused, message, { retryable: true });
