import { resolve } from 'node:path';
import { type Clock, systemClock } from '@nodeagent/api';
import type { Command } from '../command.js';
import { type Console, wantsColours } from '../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, oneOf, outputFlag, outputForms, readFlags, text } from '../flags.js';
import { listenForInterrupts } from '../interrupts.js';
import { fetchPods } from '../local-api/agent-client.js';
import type { PodsAnswer } from '../local-api/answers.js';
import { rejectedRow } from '../local-api/rejected-manifests.js';
import { nodeAddress, nodeFlags } from '../node-api/node-address.js';
import { fetchNodePods } from '../node-api/node-client.js';
import { createLiveScreen } from '../terminal/live-screen.js';
import { type PodRow, podRow } from '../terminal/pod-row.js';
import { podsScreen, screenState, screenTitle } from '../terminal/pods-screen.js';
import { printableJson } from '../terminal/printable.js';
import { renderTable } from '../terminal/table.js';
import { allNamespacesFlag, namespaceFlag, ofNamespace } from './pod-flags.js';
import { rootDirFlag } from './root-dir-flag.js';

const watchPeriodMs = 1_000;

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  rootDirFlag(console, 'root directory of the running agent.'),
  namespaceFlag,
  allNamespacesFlag,
  ...nodeFlags,
  { name: 'watch', short: 'w', defaultText: 'off', help: 'on a terminal: refresh the table every second until Ctrl-C.' },
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
  const ask = async () => ofNamespace(await (address === undefined ? fetchPods(rootDir) : fetchNodePods(address, clock.now())), values);
  if (values.watch) {
    if (!console.stdout.isTTY || output === 'json') throw badUsage('--watch: requires a terminal and --output text');
    return watch(ask, console, clock);
  }
  const answer = await ask();
  const { isTTY, columns } = console.stdout;
  const width = isTTY && columns ? columns : Number.POSITIVE_INFINITY;
  const colours = wantsColours(console.stdout, console.env);
  const lines = output === 'json' ? [printableJson(answer, 2)] : renderTable(rowsOf(answer), width, colours);
  console.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

async function watch(ask: () => Promise<PodsAnswer>, console: Console, clock: Clock): Promise<number> {
  const { stdout, env } = console;
  const screen = createLiveScreen(stdout);
  const end = listenForInterrupts(console, clock.monotonic);
  try {
    while (!end.first.aborted) {
      const answer = await ask();
      const rows = rowsOf(answer);
      const size = { width: stdout.columns || 100, height: stdout.rows || 24 };
      const state = screenState(rows, answer.runtimeErrors, answer.clusterError);
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
