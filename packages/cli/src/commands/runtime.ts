import { homedir } from 'node:os';
import { join } from 'node:path';
import { NodeAgentError, systemClock } from '@nodeagent/api';
import { serveCri } from '@nodeagent/cri-client';
import { createProcessRuntime } from '@nodeagent/process-runtime';
import { type Console, wantsColours } from '../console.js';
import { describeFlags, type Flag, readFlags } from '../flags.js';
import { createLineLogger, type LogLevel, logLevels } from '../log.js';

function runtimeFlags({ env, isRoot }: Console): Flag[] {
  const state = isRoot ? '/var/lib/nodeagent' : join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'nodeagent');
  return [
    { name: 'socket', value: 'PATH', help: 'unix socket to serve CRI on (required).' },
    { name: 'root-dir', value: 'DIR', default: join(state, 'runtime'), help: 'folder of the records of sandboxes and containers.' },
    { name: 'log-level', value: 'LEVEL', default: 'info', help: 'debug (every call), info, warn or error.' },
    { name: 'help', help: 'show this text.' },
  ];
}

export function runtimeHelp(console: Console): string {
  return `Serves the embedded runtime (containers as plain processes of this machine) as a CRI socket of its own, so that an agent can
end and start again without touching its containers.

usage: nodeagent runtime --socket PATH [flags]

${describeFlags(runtimeFlags(console))}

Then: nodeagent run --runtime-endpoint unix://PATH --manifests DIR
Ctrl-C ends the runtime and kills its containers.
`;
}

/** `nodeagent runtime`: serves until told to end. */
export async function runtime(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(runtimeFlags(console), args);
  if (values.help) {
    console.stdout.write(runtimeHelp(console));
    return 0;
  }
  const { socket, 'root-dir': root, 'log-level': level } = values;
  if (typeof socket !== 'string') throw new NodeAgentError('BAD_USAGE', '--socket: a path is needed');
  if (!logLevels.some((each) => each === level))
    throw new NodeAgentError('BAD_USAGE', `--log-level: "${level}" is none of ${logLevels.join(', ')}`);
  const logger = createLineLogger({
    level: level as LogLevel,
    format: 'text',
    colours: wantsColours(console.stdout, console.env),
    clock: systemClock,
    write: (line) => console.stdout.write(`${line}\n`),
  });
  const processRuntime = createProcessRuntime({ root: root as string, clock: systemClock, logger });
  await processRuntime.start();
  const server = await serveCri(processRuntime, {
    socket,
    onCall: ({ method, milliseconds, error }) => logger.debug({ ms: milliseconds, error }, method),
  });
  logger.info({ socket }, 'serving CRI');
  await new Promise<void>((resolve) => {
    const stopListening = console.onSignal(() => {
      stopListening();
      resolve();
    });
  });
  logger.info('ending: killing containers');
  await processRuntime.stopAll(0);
  await server.close();
  await processRuntime.stop();
  return 0;
}
