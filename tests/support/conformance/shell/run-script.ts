import type { Command, Pipeline, Script, Word } from './script.js';

/** What a command of a script gets. */
export interface ShellCommand {
  argv: readonly string[];
  stdin: string;
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Runs one command; undefined: there is no command of this name. */
export type RunCommand = (command: ShellCommand) => Promise<number> | undefined;

/** What a script runs on. */
export interface ShellHost extends Pick<ShellCommand, 'stdout' | 'stderr'> {
  env: Readonly<Record<string, string>>;
  run: RunCommand;
  write(path: string, text: string, append: boolean): void;
  /** A number from 0 to 1. */
  random(): number;
}

/** Thrown by `exit`. */
class ShellExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Runs a script and returns its exit code. */
export async function runScript(script: Script, host: ShellHost): Promise<number> {
  try {
    return await runList(script, host);
  } catch (error) {
    if (error instanceof ShellExit) return error.code;
    throw error;
  }
}

async function runList(script: Script, host: ShellHost): Promise<number> {
  let code = 0;
  for (const pipeline of script) {
    if (pipeline.when === 'always' || (pipeline.when === 'success') === (code === 0)) code = await runPipeline(pipeline, host);
  }
  return code;
}

async function runPipeline({ commands, negated }: Pipeline, host: ShellHost): Promise<number> {
  let stdin = '';
  let code = 0;
  for (const [index, command] of commands.entries()) {
    const piped: string[] = [];
    const isLast = index === commands.length - 1;
    const stdout = isLast ? host.stdout : (text: string) => void piped.push(text);
    code = await runCommand(command, stdin, { ...host, stdout });
    stdin = piped.join('');
  }
  return negated ? Number(code === 0) : code;
}

async function runCommand(command: Command, stdin: string, host: ShellHost): Promise<number> {
  if (command.kind === 'while') {
    let code = 0;
    while ((await runList(command.condition, host)) === 0) code = await runList(command.body, host);
    return code;
  }
  if (command.kind === 'if') {
    for (const { condition, body } of command.cases) if ((await runList(condition, host)) === 0) return runList(body, host);
    return runList(command.otherwise, host);
  }
  const streams = { stdout: host.stdout, stderr: host.stderr };
  for (const { stream, append, file } of command.redirections) {
    const [path = ''] = await fields(file, host);
    if (!append && path !== '/dev/null') host.write(path, '', false);
    streams[stream] = path === '/dev/null' ? () => {} : (text) => host.write(path, text, true);
  }
  const argv: string[] = [];
  for (const word of command.words) argv.push(...(await fields(word, host)));
  return runSimple({ argv, stdin, ...streams }, host);
}

async function runSimple(command: ShellCommand, host: ShellHost): Promise<number> {
  const [name = ':', first = '0'] = command.argv;
  if (name === ':') return 0;
  if (name === 'exit') throw new ShellExit(Number(first) & 255);
  const running = host.run(command);
  if (running) return running;
  command.stderr(`sh: ${name}: not found\n`);
  return 127;
}

/** The fields of a word after its expansion. */
async function fields(word: Word, host: ShellHost): Promise<string[]> {
  let text = '';
  /** Places of unquoted blanks become this character. */
  const separator = '\0';
  for (const part of word) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'number') text += String(arithmetic(part.expression, host));
    else {
      const value = part.kind === 'variable' ? variable(part.name, host) : await outputOf(part.script, host);
      text += part.quoted ? value : value.replace(/\s+/g, separator);
    }
  }
  const isEmptyText = word.some((part) => part.kind === 'text' || ('quoted' in part && part.quoted));
  return text === '' && isEmptyText ? [''] : text.split(separator).filter(Boolean);
}

const variable = (name: string, { env, random }: ShellHost): string =>
  name === 'RANDOM' ? String(Math.floor(random() * 32_768)) : (env[name] ?? '');

async function outputOf(script: Script, host: ShellHost): Promise<string> {
  const output: string[] = [];
  await runScript(script, { ...host, stdout: (text) => void output.push(text) });
  return output.join('').replace(/\n+$/, '');
}

/** Whole numbers and variables with +, -, *, / and %, from left to right. */
function arithmetic(expression: string, host: ShellHost): number {
  const [first = '0', ...rest] = expression.match(/\$?\w+|[-+*/%]/g) ?? [];
  const value = (token: string) => Number(/^\d/.test(token) ? token : variable(token.replace('$', ''), host));
  let result = value(first);
  for (let at = 0; at < rest.length; at += 2) result = calculate(result, rest[at] ?? '', value(rest[at + 1] ?? '0'));
  return result;
}

/** The result of an operator on whole numbers. */
export function calculate(left: number, operator: string, right: number): number {
  const operators: Readonly<Record<string, () => number>> = {
    '+': () => left + right,
    '-': () => left - right,
    '*': () => left * right,
    '/': () => Math.trunc(left / right),
    '%': () => left % right,
  };
  const apply = operators[operator];
  if (apply === undefined) throw new Error(`arithmetic: unknown operator ${operator}`);
  return apply();
}
