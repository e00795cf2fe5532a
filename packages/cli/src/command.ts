import type { Console } from './console.js';
import type { Flag } from './flags.js';

/** What help and flags depend on. */
type CommandContext = Pick<Console, 'env' | 'isRoot'>;

/** One command of the command line. */
export interface Command {
  flags(context: CommandContext): readonly Flag[];
  help(context: CommandContext): string;
  /** What its first word is, for the shell's completion. Default: a file. */
  firstWord?: 'pod' | readonly string[];
  /** Runs it; the exit code. Rejects with `BAD_USAGE` if it cannot understand its arguments. */
  run(args: readonly string[], console: Console): Promise<number>;
}
