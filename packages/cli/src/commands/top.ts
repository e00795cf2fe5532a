import { resolve } from 'node:path';
import { type Clock, systemClock } from '@nodeagent/api';
import type { Command } from '../command.js';
import { type Console, isRedrawable } from '../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, oneOf, outputFlag, outputForms, readFlags, text } from '../flags.js';
import { listenForInterrupts } from '../interrupts.js';
import { fetchUsage } from '../local-api/agent-client.js';
import { usageList } from '../terminal/list/usage-list.js';
import { createLiveScreen } from '../terminal/live-screen.js';
import { printableJson } from '../terminal/printable.js';
import { evictionLines, usageScreen } from '../terminal/usage-screen.js';
import { rootDirFlag } from './root-dir-flag.js';
import { rowCommandsOf } from './row-commands.js';
import { watchList } from './watch-list.js';

const refreshPeriodMs = 2_000;

type HelpConsole = Pick<Console, 'env' | 'isRoot'>;

const flags = (console: HelpConsole): Flag[] => [rootDirFlag(console, 'root directory of the running agent.'), outputFlag, helpFlag];
const evictFlags = (console: HelpConsole): Flag[] => [
  { name: 'dry-run', defaultText: 'off', help: 'required: the command shows the ranking, and evicts no pod.' },
  ...flags(console),
];

export const topHelp = (
  console: HelpConsole,
): string => `Shows the resource usage of a running agent's node and pods, and the eviction thresholds. On a terminal it is a list
that refreshes every two seconds ("?" explains its keys, "q" quits), else it prints once. Stats are up to 10 s old.

usage: nodeagent top [flags]

${describeFlags(flags(console))}

Exit codes: 0 success, 1 no agent or no stats, 2 invalid flags.
`;

export const evictHelp = (
  console: HelpConsole,
): string => `Shows which pod of a running agent would be evicted next under resource pressure, and why.

usage: nodeagent evict --dry-run [flags]

${describeFlags(evictFlags(console))}

Exit codes: 0 success, 1 no agent or no stats, 2 invalid flags.
`;

export const topCommand: Command = { flags, help: topHelp, run: top };
export const evictCommand: Command = { flags: evictFlags, help: evictHelp, run: evict };

/** `nodeagent top`: queries the agent of `--root-dir`, repeatedly on a terminal. */
export async function top(args: readonly string[], console: Console, clock: Clock = systemClock): Promise<number> {
  const values = readFlags(flags(console), args);
  const { stdout } = console;
  const output = oneOf(values, 'output', outputForms);
  const rootDir = resolve(text(values, 'root-dir'));
  if (!isRedrawable(stdout, console.env) || output === 'json') {
    const answer = await fetchUsage(rootDir);
    const lines = output === 'json' ? [printableJson(answer, 2)] : usageScreen(answer, Number.POSITIVE_INFINITY);
    stdout.write(`${lines.join('\n')}\n`);
    return 0;
  }
  const read = async () => usageList(await fetchUsage(rootDir));
  const code = await watchList({ console, clock, periodMs: refreshPeriodMs, read, run: rowCommandsOf(['--root-dir', rootDir]) });
  return code ?? redraw(rootDir, console, clock);
}

/** On a terminal without a keyboard. */
async function redraw(rootDir: string, console: Console, clock: Clock): Promise<number> {
  const { stdout } = console;
  const screen = createLiveScreen(stdout);
  const end = listenForInterrupts(console, clock.monotonic);
  try {
    while (!end.first.aborted) {
      screen.draw(usageScreen(await fetchUsage(rootDir), stdout.columns || 100));
      await clock.sleep(refreshPeriodMs, end.first).catch(() => {});
    }
    return 0;
  } finally {
    end.stopListening();
  }
}

/** `nodeagent evict --dry-run`: queries the agent of `--root-dir`. */
export async function evict(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(evictFlags(console), args);
  if (!values['dry-run']) throw badUsage('evict: requires --dry-run; only the agent itself evicts pods');
  const output = oneOf(values, 'output', outputForms);
  const answer = await fetchUsage(resolve(text(values, 'root-dir')));
  const { isTTY, columns } = console.stdout;
  const width = isTTY && columns ? columns : Number.POSITIVE_INFINITY;
  const lines = output === 'json' ? [printableJson(answer.eviction ?? null, 2)] : evictionLines(answer, width);
  console.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
