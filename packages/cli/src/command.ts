import type { Console } from './console.js';
import type { Flag } from './flags.js';

/** The inputs of flags and help. */
type CommandContext = Pick<Console, 'env' | 'isRoot'>;

/** One command of the command line. */
export interface Command {
  flags(context: CommandContext): readonly Flag[];
  help(context: CommandContext): string;
  /** The commands that the first argument names, as `pull` in `nodeagent image pull`. */
  actions?: Readonly<Record<string, Command>>;
  /** Candidates of the first word for shell completion. Default: files. */
  firstWord?: 'pod' | 'image' | readonly string[];
  /** Runs the command and resolves to the exit code. Rejects with `BAD_USAGE` for invalid arguments. */
  run(args: readonly string[], console: Console): Promise<number>;
}

/** The action that the arguments name, with the rest of them; else the command itself. */
export function chooseAction(command: Command, args: readonly string[]): { command: Command; action?: string; args: readonly string[] } {
  const [action = '', ...rest] = args;
  const chosen = command.actions !== undefined && Object.hasOwn(command.actions, action) ? command.actions[action] : undefined;
  return chosen === undefined ? { command, args } : { command: chosen, action, args: rest };
}
