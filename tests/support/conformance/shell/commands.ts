import type { ExitValue, ProgramFiles } from '@nodeagent/memory-runtime';
import { calculate, type ShellCommand } from './run-script.js';

/** What commands run on. */
export interface CommandHost {
  env: Readonly<Record<string, string>>;
  hostname: string;
  files: ProgramFiles;
  sleep(ms: number): Promise<void>;
}

type Handler = (command: ShellCommand, host: CommandHost) => ExitValue | Promise<ExitValue>;

const operands = ({ argv }: ShellCommand) => argv.slice(1).filter((word) => !word.startsWith('-'));
const baseName = (path: string) => path.replace(/\/+$/, '').replace(/.*\//, '');

/** The commands of Busybox that the specs use, with the options that they use. */
const handlers: Readonly<Record<string, Handler>> = {
  true: () => 0,
  false: () => 1,
  echo: ({ argv, stdout }) => stdout(argv[1] === '-n' ? argv.slice(2).join(' ') : `${argv.slice(1).join(' ')}\n`),
  printf: ({ argv, stdout }) => stdout((argv[1] ?? '').replaceAll('\\n', '\n')),
  env: ({ stdout }, { env }) =>
    stdout(
      Object.entries(env)
        .map((pair) => `${pair.join('=')}\n`)
        .join(''),
    ),
  hostname: ({ stdout }, { hostname }) => stdout(`${hostname}\n`),
  cat: (command, { files }) => {
    const paths = operands(command);
    if (paths.length === 0) command.stdout(command.stdin);
    for (const path of paths) command.stdout(files.readText(path));
  },
  ls: (command, { files }) => {
    for (const path of operands(command)) {
      command.stdout(
        command.argv.some((word) => /^-\w*d/.test(word))
          ? `${path}\n`
          : files
              .list(path)
              .map((name) => `${name}\n`)
              .join(''),
      );
    }
  },
  find: (command, { files }) => {
    const walk = (path: string): void => {
      command.stdout(`${path}\n`);
      if (isFolder(files, path)) for (const name of files.list(path)) walk(`${path}/${name}`);
    };
    for (const path of operands(command)) walk(path);
  },
  touch: (command, { files }) => {
    for (const path of operands(command)) files.append(path, '');
  },
  mkdir: (command, { files }) => {
    for (const path of operands(command)) files.makeDirectory(path);
  },
  rm: (command, { files }) => {
    for (const path of operands(command)) files.remove(path);
  },
  mv: (command, { files }) => {
    const [from = '', to = ''] = operands(command);
    const target = isFolder(files, to) ? `${to.replace(/\/$/, '')}/${baseName(from)}` : to;
    files.write(target, files.readBytes(from));
    files.remove(from);
    if (command.argv.includes('-v')) command.stdout(`'${from}' -> '${target}'\n`);
  },
  dd: ({ argv }, { files }) => {
    const value = (name: string) => argv.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
    files.write(value('of'), '\0'.repeat(Number(value('bs')) * Number(value('count'))));
  },
  expr: ({ argv, stdout }) => {
    const [left, operator = '', right] = argv.slice(1);
    const result = calculate(Number(left), operator, Number(right));
    stdout(`${result}\n`);
    return Number(result === 0);
  },
  sleep: async ({ argv }, { sleep }) => sleep(Number(argv[1]) * 1_000),
  test: ({ argv }, { files }) => Number(!test(argv.slice(1), files)),
  '[': ({ argv }, { files }) => Number(!test(argv.slice(1, -1), files)),
  '[[': ({ argv }, { files }) => Number(!test(argv.slice(1, -1), files)),
};

/** Runs a command by its name or path; undefined: there is none. Errors of files are reported as a command reports them. */
export function runCommand(command: ShellCommand, host: CommandHost): Promise<number> | undefined {
  const name = (command.argv[0] ?? '').replace(/^\/(usr\/)?s?bin\//, '');
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler === undefined) return undefined;
  return (async () => {
    try {
      return (await handler(command, host)) ?? 0;
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      command.stderr(`${name}: ${error.message}\n`);
      return 1;
    }
  })();
}

function test([first = '', second = '', third = '']: readonly string[], files: ProgramFiles): boolean {
  const results: Readonly<Record<string, () => boolean>> = {
    '-e': () => files.exists(second),
    '-r': () => files.exists(second),
    '-f': () => files.exists(second) && !isFolder(files, second),
    '-d': () => isFolder(files, second),
    '-n': () => second !== '',
    '-z': () => second === '',
    '!': () => !test([second, third], files),
  };
  const comparisons: Readonly<Record<string, () => boolean>> = {
    '=': () => first === third,
    '==': () => first === third,
    '!=': () => first !== third,
    '-eq': () => Number(first) === Number(third),
    '-ne': () => Number(first) !== Number(third),
    '-lt': () => Number(first) < Number(third),
    '-gt': () => Number(first) > Number(third),
  };
  return (comparisons[second] ?? results[first] ?? (() => first !== ''))();
}

function isFolder(files: ProgramFiles, path: string): boolean {
  try {
    files.list(path);
    return true;
  } catch {
    return false;
  }
}
