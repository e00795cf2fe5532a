import { join, resolve } from 'node:path';
import { NodeAgentError, systemClock } from '@nodeagent/api';
import { serveCri } from '@nodeagent/cri-client';
import { createProcessRuntime } from '@nodeagent/process-runtime';
import type { Command } from '../command.js';
import { type Console, wantsColours } from '../console.js';
import { aborted, listenForEnd } from '../end-requests.js';
import { describeFlags, type Flag, helpFlag, readFlags } from '../flags.js';
import { createLineLogger, type LogLevel, logLevels } from '../log.js';
import { defaultRootDir } from './root-dir-flag.js';

/** How long containers get between their stop signal and SIGKILL when the runtime ends. */
const stopTimeoutMs = 10_000;

function runtimeFlags(console: Pick<Console, 'env' | 'isRoot'>): Flag[] {
  const root = join(defaultRootDir(console), 'runtime');
  return [
    { name: 'socket', value: 'PATH', help: 'unix socket to serve CRI on (required).' },
    { name: 'root-dir', value: 'DIR', default: root, help: 'folder of the records of sandboxes and containers.' },
    { name: 'log-level', value: 'LEVEL', default: 'info', help: 'debug (every call), info, warn or error.' },
    helpFlag,
  ];
}

export function runtimeHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Serves the embedded runtime (containers as plain processes of this machine) as a CRI socket of its own, so that an agent can
end and start again without touching its containers.

usage: nodeagent runtime --socket PATH [flags]

${describeFlags(runtimeFlags(console))}

Then: nodeagent run --runtime-endpoint unix://PATH --manifests DIR

Ctrl-C ends the runtime and its containers, which get ${stopTimeoutMs / 1000} s; a second Ctrl-C kills them at once.

Exit codes: 0 ended in order, 1 failed, 2 wrong flags, 130 told twice to end.
`;
}

export const runtimeCommand: Command = { flags: runtimeFlags, help: runtimeHelp, run: runtime };

/** `nodeagent runtime`: serves until told to end; exit code 0 after an orderly end, 130 when told twice. */
export async function runtime(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(runtimeFlags(console), args);
  const { socket, 'root-dir': root, 'log-level': level } = values;
  if (typeof socket !== 'string' || socket === '') throw new NodeAgentError('BAD_USAGE', '--socket: a path is needed');
  if (typeof root !== 'string' || root === '') throw new NodeAgentError('BAD_USAGE', '--root-dir: a folder is needed');
  if (!logLevels.some((each) => each === level))
    throw new NodeAgentError('BAD_USAGE', `--log-level: "${level}" is none of ${logLevels.join(', ')}`);
  const logger = createLineLogger({
    level: level as LogLevel,
    format: 'text',
    colours: wantsColours(console.stdout, console.env),
    clock: systemClock,
    write: (line) => console.stdout.write(`${line}\n`),
  });
  const end = listenForEnd(console, systemClock.monotonic);
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
    logger.info('ending: stopping containers');
    await server.close();
    await Promise.race([processRuntime.stopAll(stopTimeoutMs), aborted(end.second)]);
    return end.second.aborted ? 130 : 0;
  } finally {
    await processRuntime.stopAll(0);
    await processRuntime.stop();
    end.stopListening();
  }
}
