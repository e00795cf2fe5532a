import { errorMessage } from '@nodeagent/api';
import type { ProgramFiles } from '../files/program-files.js';
import type { ExecHandler } from './program.js';
import { signalName } from './signals.js';

type Sleep = (ms: number) => Promise<void>;

/** The built-in command of `exec`; undefined if there is none of this name. */
export function findCommand(
  [path = '']: readonly string[],
  files: ProgramFiles,
  sleep: Sleep,
  deliver: (signal: string) => void,
): ExecHandler | undefined {
  const commands: Readonly<Record<string, ExecHandler>> = {
    true: () => 0,
    false: () => 1,
    echo: ({ argv, stdout }) => stdout(`${argv.slice(1).join(' ')}\n`),
    cat: (command) => ofEach(command, (path) => command.stdout(files.readText(path))),
    ls: (command) =>
      ofEach(command, (path) =>
        command.stdout(
          files
            .list(path)
            .map((entry) => `${entry}\n`)
            .join(''),
        ),
      ),
    test: ({ argv }) => testFile(argv, files),
    sleep: async ({ argv }) => sleep(Number(argv[1]) * 1000),
    kill: ({ argv }) => {
      const [option, pid] = argv.length > 2 ? argv.slice(1) : ['-TERM', argv[1]];
      const signal = signalName((option ?? '').replace(/^-/, ''));
      if (signal === undefined || pid !== '1') return 1;
      // The kernel protects PID 1 from signals without a handler, which SIGKILL cannot have.
      if (signal !== 'SIGKILL') deliver(signal);
      return 0;
    },
  };
  const name = path.replace(/^\/(usr\/)?bin\//, '');
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

function ofEach({ argv, stderr }: Parameters<ExecHandler>[0], run: (path: string) => void): number {
  let code = 0;
  for (const path of argv.slice(1)) {
    try {
      run(path);
    } catch (error) {
      stderr(`${argv[0]}: ${errorMessage(error)}\n`);
      code = 1;
    }
  }
  return code;
}

/** `test -e PATH`, `-f`, `-d` and `-s`. */
function testFile([, option, path = '']: readonly string[], files: ProgramFiles): number {
  if (!files.exists(path)) return 1;
  const isFolder = canList(path, files);
  const results: Readonly<Record<string, () => boolean>> = {
    '-e': () => true,
    '-d': () => isFolder,
    '-f': () => !isFolder,
    '-s': () => isFolder || files.readBytes(path).length > 0,
  };
  return results[option ?? '']?.() ? 0 : 1;
}

function canList(path: string, files: ProgramFiles): boolean {
  try {
    files.list(path);
    return true;
  } catch {
    return false;
  }
}
