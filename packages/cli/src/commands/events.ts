import { resolve } from 'node:path';
import { type Clock, errorCode, systemClock } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { CountedEvent } from '@nodeagent/core/node';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { describeFlags, type Flag, type FlagValues, helpFlag, oneOf, outputFlag, outputForms, readFlags, text } from '../flags.js';
import { listenForInterrupts } from '../interrupts.js';
import { fetchPod, fetchPods } from '../local-api/agent-client.js';
import { renderColumns } from '../terminal/fields.js';
import { printableJson } from '../terminal/printable.js';
import { allNamespacesFlag, namedPod, namespaceFlag, ofNamespace, optionalText, podHelp } from './pod-flags.js';
import { rootDirFlag } from './root-dir-flag.js';

const watchPeriodMs = 1000;

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  { name: 'pod', value: '[NAMESPACE/]POD', defaultText: 'all', help: 'only events of this pod.' },
  namespaceFlag,
  allNamespacesFlag,
  { name: 'watch', short: 'w', defaultText: 'off', help: 'print new events until Ctrl-C.' },
  rootDirFlag(console, 'root directory of the running agent.'),
  { ...outputFlag, help: '"text", or "json": one line for each event.' },
  helpFlag,
];

export function eventsHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Lists the events of the pods of a running agent, oldest first: the last 25 distinct events of each pod.

usage: nodeagent events [flags]

${describeFlags(flags(console))}

${podHelp}

Exit codes: 0 success, 1 no such pod or no agent, 2 invalid flags.
`;
}

/** An event with the name of its pod. */
interface PodEvent extends CountedEvent {
  pod: string;
}

export const eventsCommand: Command = { flags, help: eventsHelp, run: events };

/** `nodeagent events`: queries the agent of `--root-dir`, once or every second. */
export async function events(args: readonly string[], console: Console, clock: Clock = systemClock): Promise<number> {
  const values = readFlags(flags(console), args);
  const output = oneOf(values, 'output', outputForms);
  const wanted = optionalText(values, 'pod');
  const rootDir = resolve(text(values, 'root-dir'));
  const print = (lines: readonly PodEvent[], withTitle: boolean) => {
    if (lines.length === 0) return;
    const text = output === 'json' ? lines.map((event) => printableJson(event)) : table(lines, withTitle);
    console.stdout.write(`${text.join('\n')}\n`);
  };
  const gathered = () => gather(rootDir, wanted, values);
  let printed = await gathered();
  print(printed, true);
  if (!values.watch) return 0;
  const end = listenForInterrupts(console, clock.monotonic);
  try {
    while (!end.first.aborted) {
      await clock.sleep(watchPeriodMs, end.first).catch(() => {});
      if (end.first.aborted) break;
      const known = new Set(printed.map(keyOf));
      const now = await gathered();
      print(
        now.filter((event) => !known.has(keyOf(event))),
        false,
      );
      printed = now;
    }
    return 0;
  } finally {
    end.stopListening();
  }
}

const keyOf = ({ pod, at, count, reason, message }: PodEvent) => JSON.stringify([pod, at, count, reason, message]);

async function gather(rootDir: string, wanted: string | undefined, values: FlagValues): Promise<PodEvent[]> {
  const answer = ofNamespace(await fetchPods(rootDir), values);
  const views = wanted === undefined ? answer.pods : [namedPod(answer, wanted)];
  const found: PodEvent[] = [];
  // Sequential: the agent limits the number of its clients.
  for (const { pod } of views) {
    const { namespace = '', name = '' } = pod.metadata ?? {};
    const answer = await fetchPod(rootDir, namespace, name).catch((error: unknown) => {
      // The pod was removed in the meantime.
      if (errorCode(error) === 'NotFound') return undefined;
      throw error;
    });
    for (const event of answer?.events ?? []) found.push({ ...event, pod: `${namespace}/${name}` });
  }
  return found.sort((one, other) => one.at - other.at);
}

function table(lines: readonly PodEvent[], withTitle: boolean): string[] {
  const title = ['Time', 'Type', 'Reason', 'Pod', 'Message'];
  const rows = lines.map(({ at, type, reason, pod, count, message, hint }) => [
    formatTime(at),
    type,
    reason,
    pod,
    `${message}${hint === undefined ? '' : ` (${hint})`}${count === 1 ? '' : ` (x${count})`}`,
  ]);
  return renderColumns(title, rows).slice(withTitle ? 0 : -rows.length);
}
