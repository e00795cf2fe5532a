import { join, resolve } from 'node:path';
import { NodeAgentError, systemClock } from '@nodeagent/api';
import { serveCri } from '@nodeagent/cri-client';
import { createProcessRuntime } from '@nodeagent/process-runtime';
import type { Command } from '../command.js';
import { type Console, wantsColours } from '../console.js';
import { describeFlags, type Flag, helpFlag, readFlags } from '../flags.js';
import { aborted, listenForInterrupts } from '../interrupts.js';
import { createLineLogger, type LogLevel, logLevels } from '../log.js';
import { defaultRootDir } from './root-dir-flag.js';

/** Time between the stop signal and SIGKILL of containers when the runtime stops. */
const stopTimeoutMs = 10_000;

function runtimeFlags(console: Pick<Console, 'env' | 'isRoot'>): Flag[] {
  const root = join(defaultRootDir(console), 'runtime');
  return [
    { name: 'socket', value: 'PATH', help: 'unix socket to serve CRI on (required).' },
    { name: 'root-dir', value: 'DIR', default: root, help: 'directory of the sandbox and container records.' },
    { name: 'log-level', value: 'LEVEL', default: 'info', help: 'debug (every call), info, warn or error.' },
    helpFlag,
  ];
}

export function runtimeHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Serves the embedded runtime (containers as plain processes of this machine) on a separate CRI socket, so that an agent can
restart while its containers keep running.

usage: nodeagent runtime --socket PATH [flags]

${describeFlags(runtimeFlags(console))}

Then: nodeagent run --runtime-endpoint unix://PATH --manifests DIR

Ctrl-C stops the runtime and its containers, with a grace period of ${stopTimeoutMs / 1000} s; a second Ctrl-C kills them immediately.

Exit codes: 0 stopped gracefully, 1 failure, 2 invalid flags, 130 interrupted twice.
`;
}

export const runtimeCommand: Command = { flags: runtimeFlags, help: runtimeHelp, run: runtime };

/** `nodeagent runtime`: serves until interrupted; exit code 0 after a graceful stop, 130 after a second interrupt. */
export async function runtime(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(runtimeFlags(console), args);
  const { socket, 'root-dir': root, 'log-level': level } = values;
  if (typeof socket !== 'string' || socket === '') throw new NodeAgentError('BAD_USAGE', '--socket: a path is required');
  if (typeof root !== 'string' || root === '') throw new NodeAgentError('BAD_USAGE', '--root-dir: a directory is required');
  if (!logLevels.some((each) => each === level))
    throw new NodeAgentError('BAD_USAGE', `--log-level: "${level}" is not one of ${logLevels.join(', ')}`);
  const logger = createLineLogger({
    level: level as LogLevel,
    format: 'text',
    colours: wantsColours(console.stdout, console.env),
    clock: systemClock,
    write: (line) => console.stdout.write(`${line}\n`),
  });
  const end = listenForInterrupts(console, systemClock.monotonic);
  const processRuntime = createProcessRuntime({ root: resolve(root), clock: systemClock, logger });
  try {
    await processRuntime.start();
    const server = await serveCri(processRuntime, {
      socket: resolve(socket.replace(/^unix:\/\//, '')),
      gracePeriodMs: 0,
      logger,
      onCall: ({ method, milliseconds, error }) => logger.debug({ ms: milliseconds, err: error }, method),
    });
    await aborted(end.first);
    logger.info('stopping containers');
    await server.close();
    await Promise.race([processRuntime.stopAll(stopTimeoutMs), aborted(end.second)]);
    return end.second.aborted ? 130 : 0;
  } finally {
    await processRuntime.stopAll(0);
    await processRuntime.stop();
    end.stopListening();
  }
}
