import { resolve } from 'node:path';
import { type Clock, systemClock } from '@nodeagent/api';
import { podKey } from '@nodeagent/api/helpers';
import type { Command } from '../command.js';
import { type Console, isRedrawable, wantsColours } from '../console.js';
import {
  badUsage,
  describeFlags,
  type Flag,
  type FlagValues,
  helpFlag,
  oneOf,
  outputFlag,
  outputForms,
  readFlags,
  text,
} from '../flags.js';
import { listenForInterrupts } from '../interrupts.js';
import { createPodsReader } from '../local-api/agent-client.js';
import type { PodsAnswer } from '../local-api/answers.js';
import { rejectedRow } from '../local-api/rejected-manifests.js';
import { nodeAddress, nodeFlags } from '../node-api/node-address.js';
import { fetchNodePods } from '../node-api/node-client.js';
import { describePod } from '../terminal/describe-pod.js';
import type { ListModel } from '../terminal/list/list-model.js';
import { podListRow, podsKind, rejectedListRow } from '../terminal/list/pods-list.js';
import { createLiveScreen } from '../terminal/live-screen.js';
import { type PodRow, podRow } from '../terminal/pod-row.js';
import { podsScreen, screenState, screenTitle } from '../terminal/pods-screen.js';
import { printableJson } from '../terminal/printable.js';
import { renderTable } from '../terminal/table.js';
import { allNamespacesFlag, namespaceFlag, ofNamespace } from './pod-flags.js';
import { rootDirFlag } from './root-dir-flag.js';
import { givenNodeFlags, rowCommandsOf } from './row-commands.js';
import { watchList } from './watch-list.js';

const watchPeriodMs = 1_000;

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  rootDirFlag(console, 'root directory of the running agent.'),
  namespaceFlag,
  allNamespacesFlag,
  ...nodeFlags,
  {
    name: 'watch',
    short: 'w',
    defaultText: 'off',
    help: 'on a terminal: an interactive list, refreshed every second; "?" explains its keys, "q" quits.',
  },
  outputFlag,
  helpFlag,
];

export function podsHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Lists the pods of a running agent, or of any node with --server. Manifests that were rejected are rows too, with the reason.

usage: nodeagent pods [flags]

${describeFlags(flags(console))}

Exit codes: 0 success, 1 no agent or node, 2 invalid flags.
`;
}

export const podsCommand: Command = { flags, help: podsHelp, run: pods };

/** `nodeagent pods`: queries the agent of `--root-dir`, or the node at `--server`, once or every second. */
export async function pods(args: readonly string[], console: Console, clock: Clock = systemClock): Promise<number> {
  const values = readFlags(flags(console), args);
  const output = oneOf(values, 'output', outputForms);
  const rootDir = resolve(text(values, 'root-dir'));
  const address = nodeAddress(values);
  const read = address === undefined ? createPodsReader(rootDir, clock) : () => fetchNodePods(address, clock.now());
  const ask = async () => ofNamespace(await read(), values);
  if (values.watch) {
    if (!console.stdout.isTTY || output === 'json') throw badUsage('--watch: requires a terminal and --output text');
    if (!isRedrawable(console.stdout, console.env)) throw badUsage('--watch: requires a terminal with control sequences; TERM is dumb');
    return watch(ask, values, console, clock);
  }
  const answer = await ask();
  const { isTTY, columns } = console.stdout;
  const width = isTTY && columns ? columns : Number.POSITIVE_INFINITY;
  const colours = wantsColours(console.stdout, console.env);
  const lines = output === 'json' ? [printableJson(answer, 2)] : renderTable(rowsOf(answer), width, colours);
  console.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/** The interactive list; without a keyboard a table that is redrawn every second. */
async function watch(ask: () => Promise<PodsAnswer>, values: FlagValues, console: Console, clock: Clock): Promise<number> {
  let last: PodsAnswer | undefined;
  const read = async () => {
    last = await ask();
    return podsModel(last);
  };
  const isNode = values.server !== undefined;
  const rowCommands = rowCommandsOf(isNode ? givenNodeFlags(values) : ['--root-dir', resolve(text(values, 'root-dir'))]);
  const run: typeof rowCommands = async (command, row, own) => {
    if (!isNode || command !== 'describe') return rowCommands(command, row, own);
    // A node's API has no description, but its list has the whole pods.
    const view = last?.pods.find(({ pod }) => podKey(pod) === row.key);
    if (last !== undefined && view !== undefined) own.stdout.write(`${describePod({ ...last, ...view, events: [] }).join('\n')}\n`);
    return 0;
  };
  const code = await watchList({ console, clock, periodMs: watchPeriodMs, read, run });
  return code ?? redrawTable(ask, console, clock);
}

function podsModel(answer: PodsAnswer): ListModel {
  const { pods: views, pulls, now, rejected = [], runtimeErrors, clusterError } = answer;
  const rows = views.map((view) => podListRow(view, now, pulls));
  const title = `${screenTitle(answer)} · ${screenState(rows, runtimeErrors, clusterError)}`;
  return { kind: podsKind, title, header: [], rows: [...rows, ...rejected.map(rejectedListRow)], notes: [] };
}

async function redrawTable(ask: () => Promise<PodsAnswer>, console: Console, clock: Clock): Promise<number> {
  const { stdout, env } = console;
  const screen = createLiveScreen(stdout);
  const end = listenForInterrupts(console, clock.monotonic);
  try {
    while (!end.first.aborted) {
      const answer = await ask();
      const rows = rowsOf(answer);
      const size = { width: stdout.columns || 100, height: stdout.rows || 24 };
      const state = screenState(rows.slice(0, answer.pods.length), answer.runtimeErrors, answer.clusterError);
      screen.draw(podsScreen({ title: screenTitle(answer), state, rows, ...size, colours: wantsColours(stdout, env) }));
      await clock.sleep(watchPeriodMs, end.first).catch(() => {});
    }
    return 0;
  } finally {
    end.stopListening();
  }
}

const rowsOf = ({ pods: views, pulls, now, rejected = [] }: PodsAnswer): PodRow[] => [
  ...views.map((view) => podRow(view, now, pulls)),
  ...rejected.map(rejectedRow),
];
