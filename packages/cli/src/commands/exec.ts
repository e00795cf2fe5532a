import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { NodeAgentError, systemClock } from '@nodeagent/api';
import type { DialUpgradeOptions, RemoteCommandStreams } from '@nodeagent/streaming';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, readArguments, text } from '../flags.js';
import { fetchPods, requestExec } from '../local-api/agent-client.js';
import { nodeAddress, nodeFlags } from '../node-api/node-address.js';
import { authorization, fetchNodePods, nodeUrl, refusal, unreachable } from '../node-api/node-client.js';
import { printable } from '../terminal/printable.js';
import { writeAll } from '../terminal/write-all.js';
import { chooseContainer } from './choose-container.js';
import { namedPod, namespaceFlag, ofNamespace, optionalText, podHelp } from './pod-flags.js';
import { rootDirFlag } from './root-dir-flag.js';

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  namespaceFlag,
  { name: 'container', short: 'c', value: 'NAME', defaultText: "the pod's first", help: 'container of the pod.' },
  { name: 'stdin', short: 'i', defaultText: 'off', help: 'pass stdin to the command.' },
  { name: 'tty', short: 't', defaultText: 'off', help: 'allocate a terminal for the command; requires a terminal on stdin.' },
  rootDirFlag(console, 'root directory of the running agent.'),
  ...nodeFlags,
  helpFlag,
];

export function execHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Runs a command in a running container.

usage: nodeagent exec [NAMESPACE/]POD [flags] -- COMMAND [ARGS]

${describeFlags(flags(console))}

${podHelp} The command runs without a shell.

Exit codes: that of the command; 1 also for a missing pod, container, agent or node, 2 also for invalid flags.
`;
}

export const execCommand: Command = { flags, help: execHelp, firstWord: 'pod', run: exec };

/** `nodeagent exec`: gets the stream's URL from the agent of `--root-dir`, or streams through the node at `--server`. */
export async function exec(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(flags(console), args, Number.POSITIVE_INFINITY);
  const [wanted, ...command] = words;
  if (!wanted) throw badUsage('exec: POD is required; "nodeagent pods" lists the pods');
  if (command.length === 0) throw badUsage('exec: a command is required after "--"');
  const tty = values.tty === true;
  if (tty && console.stdin.isTTY !== true) throw badUsage('--tty: requires a terminal on stdin');
  const rootDir = resolve(text(values, 'root-dir'));
  const address = nodeAddress(values);
  const answer = ofNamespace(await (address === undefined ? fetchPods(rootDir) : fetchNodePods(address, systemClock.now())), values);
  const view = namedPod(answer, wanted);
  const { container, note } = chooseContainer(view.pod, optionalText(values, 'container'));
  if (note !== undefined) console.stderr.write(`${printable(note)}\n`);
  const streams: RemoteCommandStreams = { stdin: values.stdin === true, stdout: true, stderr: !tty, tty };
  const { namespace = '', name = '' } = view.pod.metadata ?? {};
  const query = new URLSearchParams();
  for (const word of command) query.append('command', word);
  if (address !== undefined) {
    const names = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;
    for (const stream of Object.keys(names) as (keyof typeof names)[]) if (streams[stream]) query.set(names[stream], '1');
    const target = nodeUrl(address, ['exec', namespace, name, container.name], query);
    return run({ target, headers: authorization(address), tls: address.tls }, streams, console);
  }
  query.set('container', container.name);
  for (const [stream, isWanted] of Object.entries(streams)) if (isWanted) query.set(stream, '1');
  const { url } = await requestExec(rootDir, namespace, name, query);
  return run({ target: new URL(url), headers: [] }, streams, console);
}

async function run(dial: DialUpgradeOptions, requested: RemoteCommandStreams, { stdin, stdout, stderr }: Console): Promise<number> {
  // Loaded lazily: a bundle would load it for every command.
  const { dialUpgrade, openHeaders, openRemoteCommand, parseCommandEnd } = await import('@nodeagent/streaming');
  const answered = await dialUpgrade({ ...dial, method: 'POST', headers: [...openHeaders, ...dial.headers] }).catch((error: unknown) => {
    throw unreachable(dial.target, error);
  });
  if (answered.socket === undefined) throw await refusal(dial.target, answered.answer);
  const command = openRemoteCommand(answered, requested);
  const resize = () => command.resize({ Width: stdout.columns ?? 80, Height: stdout.rows ?? 24 });
  if (requested.tty) {
    resize();
    stdout.on('resize', resize);
    stdin.setRawMode?.(true);
  }
  if (command.stdin) stdin.pipe(command.stdin);
  const copy = (from: Readable | undefined, to: Console['stdout']) => from && writeAll(from, to);
  try {
    const [status] = await Promise.all([command.ended, copy(command.stdout, stdout), copy(command.stderr, stderr)]);
    const end = parseCommandEnd(status);
    if ('exitCode' in end) return end.exitCode;
    throw new NodeAgentError('EXEC_FAILED', end.error);
  } finally {
    command.close();
    stdout.off('resize', resize);
    if (requested.tty) stdin.setRawMode?.(false);
    // An open stdin would keep the process running.
    if (command.stdin) stdin.unpipe(command.stdin).destroy();
  }
}
