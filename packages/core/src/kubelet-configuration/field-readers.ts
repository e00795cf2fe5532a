import { invalidOption } from '@nodeagent/api';
import { checkSetting, parseDuration, type Setting } from '@nodeagent/api/helpers';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import { allSettings } from '../config/setting-groups.js';
import { type AgentConfiguration, configurationOf, mergeAgentConfigurations } from './agent-configuration.js';

export type ConfigurationField = keyof KubeletConfiguration;

/** The options that one field sets. */
export interface FieldEffect extends Partial<AgentConfiguration> {
  /** What of the field is unsupported: the field's name, or the path of a part of it. */
  ignored?: readonly string[];
}

/** Reads the value of one field; throws `InvalidOption` naming the field. */
export type FieldReader<Name extends ConfigurationField> = (
  value: NonNullable<KubeletConfiguration[Name]>,
  configuration: KubeletConfiguration,
) => FieldEffect;

/** Readers of some of the fields. */
export type FieldReaders = { readonly [Name in ConfigurationField]?: FieldReader<Name> };

/** The settings that the field, or a part of it such as `crashLoopBackOff.maxContainerRestartPeriod`, sets. */
export function readSettings(field: ConfigurationField, value: unknown): FieldEffect {
  const effects = allSettings.flatMap(([path, row]) => {
    const [name, ...parts] = row.field?.split('.') ?? [];
    if (name !== field) return [];
    const read = readValue(row, valueAt(value, parts));
    return read === undefined ? [] : [configurationOf(path, read)];
  });
  return mergeAgentConfigurations(...effects);
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name], value);

/** The value of a row; undefined for a text or a duration that is empty where the default is empty too, which means that it is not set. */
function readValue(row: Setting, value: unknown): unknown {
  if (typeof value === 'string' && (row.unit === 'ms' || row.unit === 's')) {
    const duration = readDuration(row, value);
    return duration === 0 && !row.default ? undefined : duration;
  }
  if (value === undefined || (value === '' && !row.default)) return undefined;
  checkSetting(row, value, row.field ?? '');
  return value;
}

function readDuration(row: Setting, text: string): number {
  const ms = milliseconds(row.field ?? '', text);
  if (ms <= 0 && row.check?.accepts(ms) === false) throw notDuration(row.field ?? '', text);
  return row.unit === 's' ? ms / 1_000 : ms;
}

/** Parses a duration such as `1m30s` to milliseconds. */
export function milliseconds(field: string, duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) throw notDuration(field, duration);
  return ms;
}

const notDuration = (field: string, text: string) => invalidOption(field, 'a duration such as 20s, 1m30s or 500ms', text);
