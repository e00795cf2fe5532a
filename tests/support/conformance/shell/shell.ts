import { type CommandHost, runCommand } from './commands.js';
import { parseScript } from './parse-script.js';
import { type RunCommand, runScript, type ShellCommand } from './run-script.js';

export interface ShellOptions extends CommandHost {
  /** Programs of the image beside the commands of Busybox. */
  programs: RunCommand;
  /** A number from 0 to 1. */
  random(): number;
}

/** Runs a command of an image: a program, a command of Busybox, or a script by `sh -c`. undefined: there is no such command. */
export function runInShell(command: ShellCommand, options: ShellOptions): Promise<number> | undefined {
  if (!/^(\/bin\/)?sh$/.test(command.argv[0] ?? '')) return options.programs(command) ?? runCommand(command, options);
  const at = command.argv.findIndex((word) => /^-\w*c$/.test(word));
  // Without a script it reads its input.
  const script = parseScript(at < 0 ? command.stdin : (command.argv[at + 1] ?? ''));
  return runScript(script, {
    ...options,
    stdout: command.stdout,
    stderr: command.stderr,
    run: (inner) => runInShell(inner, options),
    write: (path, text, append) => (append ? options.files.append(path, text) : options.files.write(path, text)),
  });
}
