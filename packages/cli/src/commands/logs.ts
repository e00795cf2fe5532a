import { join, resolve } from 'node:path';
import { type Clock, errorCode, NodeAgentError, systemClock } from '@nodeagent/api';
import { findContainerStatus, podUid } from '@nodeagent/api/helpers';
import type { PodView } from '@nodeagent/core/node';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, duration, type Flag, helpFlag, readArguments, text } from '../flags.js';
import { listenForInterrupts } from '../interrupts.js';
import { fetchPod, fetchPods } from '../local-api/agent-client.js';
import { nodeAddress, nodeFlags } from '../node-api/node-address.js';
import { fetchNodePods, nodeUrl, requestNode } from '../node-api/node-client.js';
import { printable } from '../terminal/printable.js';
import { writeAll } from '../terminal/write-all.js';
import { chooseContainer } from './choose-container.js';
import { namedPod, namespaceFlag, ofNamespace, optionalCount, optionalText, podHelp } from './pod-flags.js';
import { rootDirFlag } from './root-dir-flag.js';

/** Period of the check whether a followed container still runs. */
const pollPeriodMs = 1000;

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  namespaceFlag,
  { name: 'container', short: 'c', value: 'NAME', defaultText: "the pod's first", help: 'container of the pod.' },
  { name: 'follow', short: 'f', defaultText: 'off', help: 'print new lines until the container terminates or Ctrl-C.' },
  { name: 'tail', value: 'LINES', defaultText: 'all', help: 'only the last LINES lines.' },
  { name: 'since', value: 'DURATION', defaultText: 'all', help: 'only lines newer than this, such as 90s or 5m.' },
  { name: 'timestamps', defaultText: 'off', help: 'print a timestamp before each line.' },
  { name: 'previous', short: 'p', defaultText: 'off', help: "the log of the container's previous instance." },
  rootDirFlag(console, 'root directory of the running agent.'),
  ...nodeFlags,
  helpFlag,
];

export function logsHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Prints the log of a container, stdout and stderr.

usage: nodeagent logs [NAMESPACE/]POD [flags]

${describeFlags(flags(console))}

${podHelp}

Exit codes: 0 success, 1 no such pod, container or log, or no agent or node, 2 invalid flags.
`;
}

export const logsCommand: Command = { flags, help: logsHelp, firstWord: 'pod', run: logs };

/** `nodeagent logs`: reads the log file that the agent of `--root-dir` names, or the log endpoint of the node at `--server`. */
export async function logs(args: readonly string[], console: Console, clock: Clock = systemClock): Promise<number> {
  const { values, words } = readArguments(flags(console), args, 1);
  const [wanted] = words;
  if (!wanted) throw badUsage('logs: POD is required; "nodeagent pods" lists the pods');
  const tailLines = optionalCount(values, 'tail');
  const sinceMs = values.since === undefined ? undefined : duration(values, 'since');
  const rootDir = resolve(text(values, 'root-dir'));
  const address = nodeAddress(values);
  const answer = ofNamespace(await (address === undefined ? fetchPods(rootDir) : fetchNodePods(address, clock.now())), values);
  const view = namedPod(answer, wanted);
  const { container, note } = chooseContainer(view.pod, optionalText(values, 'container'));
  if (note !== undefined) console.stderr.write(`${printable(note)}\n`);
  if (address !== undefined) {
    const query = new URLSearchParams();
    for (const name of ['follow', 'timestamps', 'previous']) if (values[name] === true) query.set(name, 'true');
    if (tailLines !== undefined) query.set('tailLines', `${tailLines}`);
    if (sinceMs !== undefined) query.set('sinceSeconds', `${Math.ceil(sinceMs / 1000)}`);
    const { namespace = '', name = '' } = view.pod.metadata ?? {};
    const target = nodeUrl(address, ['containerLogs', namespace, name, container.name], query);
    return print(console, clock, (signal) => requestNode(address, target, signal));
  }
  const attempt = await attemptOf(view, container.name, values.previous === true);
  const { namespace = '', name = '' } = view.pod.metadata ?? {};
  const folder = join(answer.podLogsDir, `${namespace}_${name}_${podUid(view.pod)}`, container.name);

  // Loaded lazily: a bundle would load it for every command.
  const { createLogReader } = await import('@nodeagent/container-logs');
  const { nodeLogSource } = await import('@nodeagent/container-logs/node');
  const ended = (signal: AbortSignal) => untilEnded({ rootDir, view, container: container.name, attempt, clock, signal });
  return print(console, clock, async (signal) =>
    dataOf(
      createLogReader({ clock, source: nodeLogSource }).read(join(folder, `${attempt}.log`), {
        ...(tailLines !== undefined && { tailLines }),
        ...(sinceMs !== undefined && { since: new Date(answer.now - sinceMs).toISOString() }),
        ...(values.timestamps === true && { timestamps: true }),
        ...(values.follow === true && { follow: true, ended }),
        signal,
      }),
    ),
  );
}

/** Prints the log to its end, or until Ctrl-C. */
async function print(console: Console, clock: Clock, read: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>): Promise<number> {
  const end = listenForInterrupts(console, clock.monotonic);
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

/** The instance of the container; log files are named by restart count. Throws `NO_LOG` with the words of `kubectl logs`. */
async function attemptOf({ pod, status }: PodView, containerName: string, previous: boolean): Promise<number> {
  const podName = pod.metadata?.name ?? '';
  const restarts = findContainerStatus(status, containerName)?.restartCount ?? 0;
  if (previous && restarts === 0) {
    throw new NodeAgentError('NO_LOG', `container "${containerName}" of pod ${podName} was not restarted: there is no previous log`);
  }
  if (previous) return restarts - 1;
  const { chooseLogContainer } = await import('@nodeagent/server/decisions');
  const chosen = chooseLogContainer({ podName, containerName, status, previous });
  if ('error' in chosen) throw new NodeAgentError('NO_LOG', chosen.error);
  return restarts;
}

interface WatchedRun {
  rootDir: string;
  view: PodView;
  container: string;
  attempt: number;
  clock: Clock;
  signal: AbortSignal;
}

/** Polls every second. An unreachable agent does not end the wait, because its containers keep running. */
async function untilEnded({ rootDir, view, container, attempt, clock, signal }: WatchedRun): Promise<void> {
  const { namespace = '', name = '' } = view.pod.metadata ?? {};
  for (;;) {
    const now = await fetchPod(rootDir, namespace, name).catch((error: unknown) =>
      errorCode(error) === 'NotFound' ? ('removed' as const) : undefined,
    );
    if (now === 'removed') return;
    const status = now && findContainerStatus(now.status, container);
    if (status && (status.restartCount !== attempt || !status.state?.running)) return;
    await clock.sleep(pollPeriodMs, signal);
  }
}
