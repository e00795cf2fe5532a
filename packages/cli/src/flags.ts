import { parseArgs } from 'node:util';
import { NodeAgentError } from '@nodeagent/api';
import { nearestName, parseDuration } from '@nodeagent/api/helpers';

/** One flag of a command. */
export interface Flag {
  name: string;
  /** Short form of the name, one letter. */
  short?: string;
  /** Placeholder of the value in the help; undefined for a switch. */
  value?: string;
  /** The values for shell completion; the command itself checks the value. */
  choices?: readonly string[];
  default?: string;
  /** Description of a default that is not a fixed value. Switches are off by default. */
  defaultText?: string;
  help: string;
}

export type FlagValues = Record<string, string | boolean | undefined>;

/** Every command has this flag. */
export const helpFlag: Flag = { name: 'help', short: 'h', help: 'show this text.' };

/** Output of a command: text for people, or all data as JSON. */
export const outputForms = ['text', 'json'] as const;
export const outputFlag: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORM',
  choices: outputForms,
  default: 'text',
  help: '"text", or "json" for everything that the agent reports.',
};

/** Parses a command's flags; throws `BAD_USAGE` naming the error and the nearest flag. */
export const readFlags = (flags: readonly Flag[], args: readonly string[]): FlagValues => readArguments(flags, args, 0).values;

/** The flags that the arguments set, without defaults. */
export const readGivenFlags = (flags: readonly Flag[], args: readonly string[]): FlagValues =>
  readFlags(
    flags.map(({ default: _, ...flag }) => flag),
    args,
  );

/** As {@link readFlags}, with up to `maxWords` positional arguments. */
export function readArguments(flags: readonly Flag[], args: readonly string[], maxWords: number): { values: FlagValues; words: string[] } {
  const given: FlagValues = {};
  const words: string[] = [];
  for (const token of tokensOf(flags, args)) {
    if (token.kind === 'option') given[token.name] = flagValue(flags, token);
    if (token.kind !== 'positional') continue;
    if (words.length === maxWords) throw badUsage(`unexpected argument "${token.value}"`);
    words.push(token.value);
  }
  return { values: Object.fromEntries(flags.map(({ name, default: fallback }) => [name, given[name] ?? fallback])), words };
}

/** Whether the arguments ask for help, even if other arguments are invalid. */
export const wantsHelp = (flags: readonly Flag[], args: readonly string[]): boolean =>
  tokensOf(flags, args).some((token) => token.kind === 'option' && token.name === helpFlag.name);

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/** Splits the arguments. Not `strict`, so that all messages are ours. */
function tokensOf(flags: readonly Flag[], args: readonly string[]): Token[] {
  const options = Object.fromEntries(
    flags.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short !== undefined && { short }) },
    ]),
  );
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function flagValue(flags: readonly Flag[], { name, rawName, value, inlineValue }: Extract<Token, { kind: 'option' }>): string | boolean {
  const flag = flags.find((each) => each.name === name);
  if (flag === undefined) throw unknownFlag(flags, name, rawName);
  if (flag.value === undefined) {
    if (value === undefined || value === 'true') return true;
    if (value === 'false') return false;
    throw badUsage(`--${name}: "${value}" is not true or false`);
  }
  if (value === undefined) throw badUsage(`--${name}: a value is required`);
  // The next word is a flag, not a value, unless joined as in --tail=-1.
  if (!inlineValue && value.length > 1 && value.startsWith('-')) throw badUsage(`--${name}: a value is required before ${value}`);
  return value;
}

function unknownFlag(flags: readonly Flag[], name: string, rawName: string): NodeAgentError {
  const names = flags.map((flag) => flag.name);
  const near = rawName.startsWith('--') ? nearestName(name, names) : undefined;
  return badUsage(`unknown flag ${rawName}${near ? `; did you mean --${near}?` : ''}`);
}

/** The error for an invalid command line. */
export function badUsage(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError('BAD_USAGE', message, { cause });
}

/** The flag's value; must not be empty. */
export function text(values: FlagValues, name: string): string {
  const value = values[name];
  if (typeof value !== 'string' || value === '') throw badUsage(`--${name}: a value is required`);
  return value;
}

/** The flag's comma-separated values; empty if it is not set. */
export function list(values: FlagValues, name: string): string[] {
  const value = values[name];
  return typeof value === 'string' ? value.split(',').filter((part) => part !== '') : [];
}

/** The flag's value, `true` or `false`. */
export const bool = (values: FlagValues, name: string): boolean => oneOf(values, name, ['true', 'false']) === 'true';

/** The flag's value; must be one of `allowed`. */
export function oneOf<T extends string>(values: FlagValues, name: string, allowed: readonly T[]): T {
  const value = text(values, name);
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  const near = nearestName(value, allowed);
  throw badUsage(`--${name}: "${value}" is not one of ${allowed.join(', ')}${near ? `; did you mean "${near}"?` : ''}`);
}

/** The flag's value, a whole number of 0 or more. */
export function count(values: FlagValues, name: string): number {
  const number = Number(text(values, name));
  if (!Number.isSafeInteger(number) || number < 0) throw badUsage(`--${name}: "${text(values, name)}" is not a whole number of 0 or more`);
  return number;
}

/** The flag's value, `90s`, `1m30s` or `500ms`, in milliseconds. */
export function duration(values: FlagValues, name: string): number {
  const value = text(values, name);
  const ms = parseDuration(value);
  if (ms === undefined || ms <= 0) throw badUsage(`--${name}: "${value}" is not a duration such as 20s, 1m30s or 500ms`);
  return ms;
}

/** The flags in a help text: two columns, with the default at the end. */
export function describeFlags(flags: readonly Flag[]): string {
  const heads = flags.map(({ name, short, value }) => `  ${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`);
  const width = Math.max(...heads.map(({ length }) => length)) + 2;
  return flags
    .map((flag, index) => {
      const fallback = flag.defaultText ?? flag.default;
      const text = fallback === undefined ? flag.help : `${flag.help} (default: ${fallback})`;
      return wrap(text, 100 - width)
        .map((line, row) => (row === 0 ? (heads[index] ?? '').padEnd(width) : ' '.repeat(width)) + line)
        .join('\n');
    })
    .join('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] ?? '';
    if (last.length + word.length + 1 > width && last !== '') lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
