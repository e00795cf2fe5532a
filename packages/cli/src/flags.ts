import { parseArgs } from 'node:util';
import { errorCode, NodeAgentError, nearestName, parseDuration } from '@nodeagent/api';

/** One flag of a command. */
export interface Flag {
  name: string;
  /** One letter that stands for the name. */
  short?: string;
  /** Placeholder of the value in the help; absent for a switch. */
  value?: string;
  default?: string;
  /** What the help calls the default where there is no fixed value; a switch is off by default. */
  defaultText?: string;
  help: string;
}

export type FlagValues = Record<string, string | boolean | undefined>;

/** Reads a command's flags; throws `BAD_USAGE` naming what is wrong and the nearest flag there is. */
export const readFlags = (flags: readonly Flag[], args: readonly string[]): FlagValues => readArguments(flags, args, 0).values;

/** The same with up to `most` words beside the flags. */
export function readArguments(flags: readonly Flag[], args: readonly string[], most: number): { values: FlagValues; words: string[] } {
  const options = Object.fromEntries(
    flags.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short !== undefined && { short }) },
    ]),
  );
  try {
    const { values, positionals: words } = parseArgs({ args: [...args], options, strict: true, allowPositionals: most > 0 });
    if (words.length > most) throw badUsage(`unexpected argument "${words[most]}"`);
    const given = values as FlagValues;
    return { values: Object.fromEntries(flags.map(({ name, default: fallback }) => [name, given[name] ?? fallback])), words };
  } catch (error) {
    if (errorCode(error) === 'BAD_USAGE') throw error;
    const unknown = /Unknown option '--?([^' ]+)/.exec((error as Error).message)?.[1];
    const near =
      unknown &&
      nearestName(
        unknown,
        flags.map(({ name }) => name),
      );
    const positional = /Unexpected argument '([^']*)'/.exec((error as Error).message)?.[1];
    const valueless = /^Option '(?:-\w, )?--([\w-]+)[^']*' (?:argument missing|argument is ambiguous)/.exec((error as Error).message)?.[1];
    const message = valueless
      ? `--${valueless}: a value is needed`
      : unknown
        ? `unknown flag --${unknown}${near ? `; did you mean --${near}?` : ''}`
        : positional !== undefined
          ? `unexpected argument "${positional}"`
          : (error as Error).message;
    throw badUsage(message, error);
  }
}

/** The error of a command line that cannot be understood. */
export function badUsage(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError('BAD_USAGE', message, { cause });
}

/** The flag's value, which may not be empty. */
export function text(values: FlagValues, name: string): string {
  const value = values[name];
  if (typeof value !== 'string' || value === '') throw badUsage(`--${name}: a value is needed`);
  return value;
}

/** The flag's values between commas; none if it is absent or empty. */
export function list(values: FlagValues, name: string): string[] {
  const value = values[name];
  return typeof value === 'string' ? value.split(',').filter((part) => part !== '') : [];
}

/** The flag's value, which must be one of these. */
export function oneOf<T extends string>(values: FlagValues, name: string, allowed: readonly T[]): T {
  const value = text(values, name);
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  const near = nearestName(value, allowed);
  throw badUsage(`--${name}: "${value}" is none of ${allowed.join(', ')}${near ? `; did you mean "${near}"?` : ''}`);
}

/** The flag's value, `90s`, `1m30s` or `500ms`, in milliseconds. */
export function duration(values: FlagValues, name: string): number {
  const value = text(values, name);
  const ms = parseDuration(value);
  if (ms === undefined || ms <= 0) throw badUsage(`--${name}: "${value}" is not a duration such as 20s, 1m30s or 500ms`);
  return ms;
}

/** The flags' part of a help text, two columns, the defaults at the end. */
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
