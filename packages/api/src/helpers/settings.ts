import { invalidOption, invalidOptionText } from '../contracts/options.js';

/** What the values of a setting must be. */
export interface SettingCheck {
  /** Follows `must be` in the error of another value. */
  readonly rule: string;
  accepts(value: unknown): boolean;
  /** The smallest and the largest number, if the values are a range. */
  readonly range?: readonly [min: number, max: number];
  /** The whole text of the error, where the kubelet has one. */
  readonly message?: string;
}

/** A row of a table of settings: all that is known about one setting except its meaning, which is the docstring of the row. */
export interface Setting<Value = unknown> {
  /** Undefined: the setting has no default, and may be absent. */
  readonly default: Value;
  /** Unit of a number, or the notation of a text. */
  readonly unit?: 'ms' | 's' | '%' | 'quantity';
  /** All values, if these are few texts. */
  readonly choices?: readonly string[];
  /** The names of the entries of a map, if these are known. */
  readonly keys?: readonly string[];
  readonly check?: SettingCheck;
  /** The field of KubeletConfiguration v1beta1 with this meaning, such as `syncFrequency` or `crashLoopBackOff.maxContainerRestartPeriod`. */
  readonly field?: string;
}

/** A table of settings by their names: the one place of their defaults, checks and docstrings. */
export type SettingTable = Readonly<Record<string, Setting>>;

type ValueOf<Row> = Row extends { readonly default: infer Value } ? Value : never;
/** The names whose default is undefined. */
type WithoutDefault<Table> = { [Name in keyof Table]: undefined extends ValueOf<Table[Name]> ? Name : never }[keyof Table];
/** As `Pick`, of the values: it keeps the docstrings of the rows. */
type Values<Table, Names extends keyof Table> = { [Name in Names]: ValueOf<Table[Name]> };

/** The values of a table's settings, with the docstrings of the rows. A setting without a default may be absent. */
export type SettingsOf<Table> = Values<Table, Exclude<keyof Table, WithoutDefault<Table>>> & Partial<Values<Table, WithoutDefault<Table>>>;

/** The settings that a user gives: each may be absent. */
export type GivenSettings<Table> = Partial<Values<Table, keyof Table>>;

/** The defaults of a table. */
export const defaultsOf = <Table extends SettingTable>(table: Table): Readonly<SettingsOf<Table>> => completeSettings(table, {});

/**
 * The given settings over the defaults of the table; undefined counts as absent. Throws `InvalidOption` naming `PATH.NAME` for a value that
 * the check of its row does not accept.
 * @param path - the option that holds the settings, for errors; empty for none
 */
export function completeSettings<Table extends SettingTable>(
  table: Table,
  given: GivenSettings<Table> = {},
  path = 'settings',
): SettingsOf<Table> {
  const settings: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const value = (given as Readonly<Record<string, unknown>>)[name] ?? row.default;
    if (value === undefined) continue;
    checkSetting(row, value, path === '' ? name : `${path}.${name}`);
    settings[name] = value;
  }
  return settings as SettingsOf<Table>;
}

/** Throws `InvalidOption` naming `field` for a value that the row's check does not accept. */
export function checkSetting({ check }: Setting, value: unknown, field: string): void {
  if (check === undefined || check.accepts(value)) return;
  throw check.message === undefined ? invalidOption(field, check.rule, value) : invalidOptionText(field, check.message);
}

/** The names of a table's settings, for {@link checkOptionNames}. */
export const settingNames = <Table extends SettingTable>(table: Table): { readonly [Name in keyof Table]: true } =>
  Object.fromEntries(
    Object.entries(table).map(([name, { keys }]) => [name, keys === undefined || Object.fromEntries(keys.map((key) => [key, true]))]),
  ) as { [Name in keyof Table]: true };

/** The rows of these names. */
export function pickSettings<Table extends SettingTable, Name extends keyof Table>(
  table: Table,
  names: readonly Name[],
): Pick<Table, Name> {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>;
}

/** A row whose values are these texts; the first one is the default. */
export const choiceOf = <const Choices extends readonly [string, ...string[]]>(
  ...choices: Choices
): { readonly default: Choices[number]; readonly choices: Choices; readonly check: SettingCheck } => ({
  default: choices[0],
  choices,
  check: { rule: `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`, accepts: (value) => choices.includes(value as string) },
});

const isNumber = (value: unknown): value is number => Number.isFinite(value);

/** A number above 0. */
export const positive: SettingCheck = { rule: 'a number above 0', accepts: (value) => isNumber(value) && value > 0 };

/** A number of 0 or more. */
export const notNegative: SettingCheck = { rule: 'a number that is not negative', accepts: (value) => isNumber(value) && value >= 0 };

/** A number from `min` to `max`. */
export const numberFrom = (min: number, max: number = Number.MAX_SAFE_INTEGER): SettingCheck => ({
  range: [min, max],
  rule: `a number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
  accepts: (value) => isNumber(value) && value >= min && value <= max,
});

/** A whole number from `min` to `max`. */
export const wholeNumberFrom = (min: number, max: number = Number.MAX_SAFE_INTEGER): SettingCheck => ({
  range: [min, max],
  rule: `a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
  accepts: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
});
