import type { Console } from './console.js';
import type { Flag } from './flags.js';

/** The inputs of flags and help. */
type CommandContext = Pick<Console, 'env' | 'isRoot'>;

/** One command of the command line. */
export interface Command {
  flags(context: CommandContext): readonly Flag[];
  help(context: CommandContext): string;
  /** Candidates of the first word for shell completion. Default: files. */
  firstWord?: 'pod' | readonly string[];
  /** Runs the command and resolves to the exit code. Rejects with `BAD_USAGE` for invalid arguments. */
  run(args: readonly string[], console: Console): Promise<number>;
}
