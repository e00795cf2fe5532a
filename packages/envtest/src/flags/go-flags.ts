import { NodeAgentError } from '@nodeagent/api';
import { envtestErrorCodes } from '../errors.js';

/** The flags that a program knows, without their dashes. */
export interface KnownFlags {
  /** Those that take no following argument: `--name` means `--name=true`. */
  booleans: ReadonlySet<string>;
  values: ReadonlySet<string>;
}

/** How a library of flags reports errors. */
export interface FlagWording {
  unknown(name: string): string;
  withoutValue(name: string): string;
  invalidBoolean(name: string, value: string): string;
  positional(args: readonly string[]): string;
}

/** The values of the flags that were given, in their order. */
export class GoFlags {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** The value that counts: the last one. */
  text(name: string): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  isSet(name: string): boolean {
    return isTrue(this.text(name) ?? 'false');
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The elements of all values, which commas separate. */
  list(name: string): string[] {
    return this.all(name).flatMap((value) => value.split(',').filter(Boolean));
  }
}

/** Go's `strconv.ParseBool`. */
const booleans = new Map(
  Object.entries({
    1: true,
    t: true,
    T: true,
    TRUE: true,
    true: true,
    True: true,
    0: false,
    f: false,
    F: false,
    FALSE: false,
    false: false,
    False: false,
  }),
);
const isTrue = (value: string) => booleans.get(value) === true;

/**
 * Reads arguments as Go's `flag` and `pflag` do: `--name=value`, `--name value`, `--boolean`, and the same with one dash.
 *
 * @throws NodeAgentError `InvalidFlag`
 */
export function readGoFlags(args: readonly string[], known: KnownFlags, wording: FlagWording): GoFlags {
  const values = new Map<string, string[]>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, written = '', inline] = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (!written) throw invalidFlag(wording.positional([arg, ...rest].filter((each) => each !== '--')));
    const name = written.replaceAll('_', '-');
    const isBoolean = known.booleans.has(name);
    if (!isBoolean && !known.values.has(name)) throw invalidFlag(wording.unknown(written));
    const value = inline ?? (isBoolean ? 'true' : rest.shift());
    if (value === undefined) throw invalidFlag(wording.withoutValue(name));
    if (isBoolean && !booleans.has(value)) throw invalidFlag(wording.invalidBoolean(name, value));
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return new GoFlags(values);
}

/** A wrong argument, in the words of the program for which a stand-in acts. */
export const invalidFlag = (message: string) => new NodeAgentError(envtestErrorCodes.invalidFlag, message);
