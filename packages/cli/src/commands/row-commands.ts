import type { Console } from '../console.js';
import type { FlagValues } from '../flags.js';
import { nodeFlags } from '../node-api/node-address.js';
import type { ListRow } from '../terminal/list/list-model.js';
import type { RowCommand } from '../terminal/screen/list-session.js';

/** Lines of a log that `l` shows before the new ones. */
const tailLines = 1_000;

/** The commands of an interactive list: those of the command line, with flags that name the agent. */
export function rowCommandsOf(flags: readonly string[]) {
  return async (command: RowCommand, { pod }: ListRow, console: Console): Promise<number> => {
    const name = `${pod?.namespace}/${pod?.name}`;
    // Loaded lazily: only a key needs one of them.
    if (command === 'describe') return (await import('./describe.js')).describe([name, ...flags], console);
    if (command === 'logs') return (await import('./logs.js')).logs([name, '--follow', `--tail=${tailLines}`, ...flags], console);
    return (await import('./exec.js')).exec([name, '--stdin', '--tty', ...flags, '--', 'sh'], console);
  };
}

/** The given flags that name a node, for another command. */
export function givenNodeFlags(values: FlagValues): string[] {
  return nodeFlags.flatMap(({ name }) => (values[name] === undefined ? [] : [`--${name}=${values[name]}`]));
}
