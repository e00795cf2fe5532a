import { join, resolve } from 'node:path';
import { type Clock, errorCode, findContainerStatus, NodeAgentError, podUid, systemClock } from '@nodeagent/api';
import type { PodView } from '@nodeagent/core';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { listenForEnd } from '../end-requests.js';
import { badUsage, describeFlags, duration, type Flag, helpFlag, readArguments, text } from '../flags.js';
import { askForPod, askForPods } from '../local-api/ask-agent.js';
import { askNode, askNodeForPods, nodeUrl } from '../node-api/ask-node.js';
import { nodeAddress, nodeFlags } from '../node-api/node-address.js';
import { writeAll } from '../terminal/write-all.js';
import { chooseContainer } from './choose-container.js';
import { namedPod, namespaceFlag, ofNamespace, optionalCount, optionalText, podHelp } from './pod-flags.js';
import { rootDirFlag } from './root-dir-flag.js';

/** Time between two looks whether a container that is followed still runs. */
const lookPeriodMs = 1000;

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  namespaceFlag,
  { name: 'container', short: 'c', value: 'NAME', defaultText: "the pod's first", help: 'which container of the pod.' },
  { name: 'follow', short: 'f', defaultText: 'off', help: 'go on with what is written later, until the container ends or Ctrl-C.' },
  { name: 'tail', value: 'LINES', defaultText: 'all', help: 'only this many lines from the end.' },
  { name: 'since', value: 'DURATION', defaultText: 'all', help: 'only lines that are no older, such as 90s or 5m.' },
  { name: 'timestamps', defaultText: 'off', help: 'the time before each line.' },
  { name: 'previous', short: 'p', defaultText: 'off', help: "what the container's run before the last one wrote." },
  rootDirFlag(console, 'folder of the running agent, as given to "nodeagent run".'),
  ...nodeFlags,
  helpFlag,
];

export function logsHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Prints what a container wrote, both of its outputs.

usage: nodeagent logs [NAMESPACE/]POD [flags]

${describeFlags(flags(console))}

${podHelp}

Exit codes: 0 told, 1 no such pod, container or log, or no agent or node, 2 wrong flags.
`;
}

export const logsCommand: Command = { flags, help: logsHelp, firstWord: 'pod', run: logs };

/**
 * `nodeagent logs`: asks the agent that runs in `--root-dir` where the log is, and reads it; or has it told by the node at `--server`.
 */
export async function logs(args: readonly string[], console: Console, clock: Clock = systemClock): Promise<number> {
  const { values, words } = readArguments(flags(console), args, 1);
  const [wanted] = words;
  if (!wanted) throw badUsage('logs: which pod? "nodeagent pods" lists them');
  const tailLines = optionalCount(values, 'tail');
  const sinceMs = values.since === undefined ? undefined : duration(values, 'since');
  const rootDir = resolve(text(values, 'root-dir'));
  const address = nodeAddress(values);
  const answer = ofNamespace(await (address === undefined ? askForPods(rootDir) : askNodeForPods(address, clock.now())), values);
  const view = namedPod(answer, wanted);
  const { container, note } = chooseContainer(view.pod, optionalText(values, 'container'));
  if (note !== undefined) console.stderr.write(`${note}\n`);
  if (address !== undefined) {
    const query = new URLSearchParams();
    for (const name of ['follow', 'timestamps', 'previous']) if (values[name] === true) query.set(name, 'true');
    if (tailLines !== undefined) query.set('tailLines', `${tailLines}`);
    if (sinceMs !== undefined) query.set('sinceSeconds', `${Math.ceil(sinceMs / 1000)}`);
    const { namespace = '', name = '' } = view.pod.metadata ?? {};
    const target = nodeUrl(address, ['containerLogs', namespace, name, container.name], query);
    return print(console, clock, (signal) => askNode(address, target, signal));
  }
  const attempt = attemptOf(view, container.name, values.previous === true);
  const { namespace = '', name = '' } = view.pod.metadata ?? {};
  const folder = join(answer.podLogsDir, `${namespace}_${name}_${podUid(view.pod)}`, container.name);

  // Here, not above: a bundle would load it for every command.
  const { createLogReader } = await import('@nodeagent/container-logs');
  const ended = (signal: AbortSignal) => untilEnded({ rootDir, view, container: container.name, attempt, clock, signal });
  return print(console, clock, async (signal) =>
    dataOf(
      createLogReader({ clock }).read(join(folder, `${attempt}.log`), {
        ...(tailLines !== undefined && { tailLines }),
        ...(sinceMs !== undefined && { since: new Date(answer.now - sinceMs).toISOString() }),
        ...(values.timestamps === true && { timestamps: true }),
        ...(values.follow === true && { follow: true, ended }),
        signal,
      }),
    ),
  );
}

/** Prints all there is, or what there is until Ctrl-C. */
async function print(console: Console, clock: Clock, read: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>): Promise<number> {
  const end = listenForEnd(console, clock.monotonic);
  try {
    await writeAll(await read(end.first), console.stdout);
    return 0;
  } catch (error) {
    if (end.first.aborted) return 0;
    throw error;
  } finally {
    end.stopListening();
  }
}

async function* dataOf(pieces: AsyncIterable<{ data: Uint8Array }>): AsyncIterable<Uint8Array> {
  for await (const { data } of pieces) yield data;
}

/** Which run of the container is meant: logs are named by the restarts before. */
function attemptOf({ pod, status }: PodView, container: string, previous: boolean): number {
  const restarts = findContainerStatus(status, container)?.restartCount;
  const name = `container "${container}" of pod ${pod.metadata?.name}`;
  if (restarts === undefined) throw new NodeAgentError('NO_LOG', `${name} has not run yet`);
  if (!previous) return restarts;
  if (restarts === 0) throw new NodeAgentError('NO_LOG', `${name} was not restarted: there is no previous log`);
  return restarts - 1;
}

interface WatchedRun {
  rootDir: string;
  view: PodView;
  container: string;
  attempt: number;
  clock: Clock;
  signal: AbortSignal;
}

/** Asks each second; an agent that is away ends nothing, as its containers go on. */
async function untilEnded({ rootDir, view, container, attempt, clock, signal }: WatchedRun): Promise<void> {
  const { namespace = '', name = '' } = view.pod.metadata ?? {};
  for (;;) {
    const now = await askForPod(rootDir, namespace, name).catch((error: unknown) =>
      errorCode(error) === 'NotFound' ? ('gone' as const) : undefined,
    );
    if (now === 'gone') return;
    const status = now && findContainerStatus(now.status, container);
    if (status && (status.restartCount !== attempt || !status.state?.running)) return;
    await clock.sleep(lookPeriodMs, signal);
  }
}
