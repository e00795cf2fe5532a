import { formatDuration, type Setting } from '@nodeagent/api/helpers';
import { type AgentConfiguration, allSettings, configurationOf, mergeAgentConfigurations, type SettingPath } from '@nodeagent/core/node';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import { badUsage, bool, count, duration, type Flag, type FlagValues, list, oneOf, text } from '../flags.js';
import type { SettingName } from './setting-names.js';

/** A flag that sets settings of the agent. */
export interface SettingFlag extends Flag {
  readonly sets: readonly SettingPath[];
  /** Reads the value of the flag. Throws `BAD_USAGE` naming it. */
  read(values: FlagValues, name: string): unknown;
}

const rows: ReadonlyMap<SettingPath, Setting> = new Map(allSettings);

/** The row of the settings that a flag sets. */
function rowOf({ sets: [path] }: Pick<SettingFlag, 'sets'>): Setting {
  const row = path && rows.get(path);
  if (row === undefined) throw new Error(`there is no setting ${path}`);
  return row;
}

/**
 * A flag with the placeholder, the default and the reader that follow from the row of its settings.
 * @param differing - what is different from the row
 */
export function settingFlag(
  name: string,
  sets: SettingPath | readonly SettingPath[],
  help: string,
  differing: Partial<Omit<SettingFlag, 'name' | 'sets' | 'help'>> = {},
): SettingFlag {
  const paths = typeof sets === 'string' ? [sets] : sets;
  const row = rowOf({ sets: paths });
  const { default: fallback, ...derived } = flagOf(row, differing);
  const range = rangeOf(row);
  return {
    name,
    help: range === undefined ? help : help.replace(/\.$/, `, ${range}.`),
    sets: paths,
    ...derived,
    ...(fallback !== undefined && differing.defaultText === undefined && { default: fallback }),
    ...differing,
  };
}

function flagOf(
  { unit, choices, default: fallback }: Setting,
  { value }: Pick<Flag, 'value'>,
): Pick<SettingFlag, 'value' | 'choices' | 'default' | 'read'> {
  if (unit === 'ms')
    return { value: 'DURATION', ...(fallback !== undefined && { default: durationText(Number(fallback)) }), read: duration };
  if (choices !== undefined) return { value: 'VALUE', choices, read: (values, name) => oneOf(values, name, choices) };
  // Without a placeholder it is a switch.
  if (typeof fallback === 'boolean')
    return value === undefined ? { read: (values, name) => values[name] } : { default: String(fallback), read: bool };
  if (typeof fallback === 'number') return { value: 'COUNT', default: String(fallback), read: count };
  if (Array.isArray(fallback)) return { value: 'VALUE[,...]', read: list };
  return { value: 'VALUE', ...(typeof fallback === 'string' && fallback !== '' && { default: fallback }), read: text };
}

/** `5m`, not `5m0s`. */
const durationText = (ms: number): string => formatDuration(ms).replace(/(?<=h)0m0s$|(?<=m)0s$/, '');

/** `1s to 5m` of a duration that has a largest value. */
const rangeOf = ({ unit, check }: Setting): string | undefined =>
  unit === 'ms' && check?.range && check.range[1] < Number.MAX_SAFE_INTEGER ? check.range.map(durationText).join(' to ') : undefined;

/** The settings of the flags that have a value. Throws `BAD_USAGE` naming the flag. */
export function readSettingFlags(flags: readonly Flag[], values: FlagValues): AgentConfiguration {
  const given = flags.filter(isSettingFlag).filter(({ name }) => values[name] !== undefined);
  const configurations = given.flatMap(({ name, sets, read }) => {
    const value = read(values, name);
    return sets.map((path) => configurationOf(path, value));
  });
  return mergeAgentConfigurations(...configurations);
}

const isSettingFlag = (flag: Flag): flag is SettingFlag => 'sets' in flag;

/** Throws `BAD_USAGE` for a value that the row of a flag's setting does not accept, whichever of flag and file it is from. */
export function checkSettings(flags: readonly Flag[], configuration: AgentConfiguration, name: SettingName): void {
  for (const flag of flags.filter(isSettingFlag)) {
    const row = rowOf(flag);
    const { check, field } = row;
    const value = flag.sets[0]
      ?.split('.')
      .reduce<unknown>((inner, each) => (inner as Record<string, unknown> | undefined)?.[each], configuration);
    if (value === undefined || check === undefined || check.accepts(value)) continue;
    const setting = field?.split('.')[0] as keyof KubeletConfiguration;
    const range = rangeOf(row);
    throw badUsage(`${name(flag.name, setting)}: must be ${range === undefined ? check.rule : `from ${range}`}`);
  }
}
