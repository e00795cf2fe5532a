import { join } from 'node:path';
import {
  type Clock,
  checkOptionNames,
  formatTime,
  NodeAgentError,
  type OptionNames,
  podFullName,
  quoteText,
  type Runtime,
  systemClock,
} from '@nodeagent/api';
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
  checkOptionNames('createRunInContainer', options, { runtime: true, cri: true });
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
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
}

const optionNames: OptionNames<CheckpointContainerOptions> = { runtime: true, cri: true, files: true, rootDir: true, clock: true };

/** Writes checkpoints into `<rootDir>/checkpoints`: Kubernetes documentation, Kubelet Checkpoint API. */
export function createCheckpointContainer(options: CheckpointContainerOptions): CheckpointContainer {
  checkOptionNames('createCheckpointContainer', options, optionNames);
  const { runtime, cri, files, rootDir, clock = systemClock } = options;
  return async (pod, name, timeout, signal) => {
    const containerId = await runningContainerId(runtime, pod, name, `container ${name} not found`, signal);
    const folder = join(rootDir, 'checkpoints');
    await files.makeDirectory(folder, 0o700);
    const location = join(folder, `checkpoint-${podFullName(pod)}-${name}-${formatTime(clock.now())}.tar`);
    await cri.checkpointContainer({ containerId, location, timeout }, { signal });
    return location;
  };
}
