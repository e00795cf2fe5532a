import { checkOptionNames, type OptionNames } from '@nodeagent/api';
import { equalJson, settingNames } from '@nodeagent/api/helpers';
import { type KubeletConfiguration, setDefaults } from '@nodeagent/kubelet-config';
import { settingGroups } from '../config/setting-groups.js';
import { type AgentConfiguration, configurationOf, mergeAgentConfigurations } from './agent-configuration.js';
import { type ConfigurationField, type FieldEffect, type FieldReader, type FieldReaders, readSettings } from './field-readers.js';
import { specialFields } from './special-fields.js';
import { type UnsupportedField, unsupportedFields } from './unsupported-fields.js';

/** A KubeletConfiguration as options of an agent. */
export interface KubeletAgentOptions extends AgentConfiguration {
  /** The fields, and feature gates as `featureGates.NAME`, that differ from their default and that the agent does not support. */
  ignored: string[];
}

/** The names of all settings, nested as in a configuration. */
const names = mergeAgentConfigurations(
  ...Object.entries(settingGroups).map(([path, table]) => configurationOf(path, settingNames(table))),
) as unknown as OptionNames<AgentConfiguration>;

/**
 * Converts a validated configuration to options of `createNodeAgent` and `joinCluster`. Throws `InvalidOption` with `details.field` for a
 * value that cannot be converted.
 * @param given the fields to convert, `given` of `loadKubeletConfiguration`. Other fields keep the agent's defaults. Default: all fields of
 *   the configuration.
 */
export function agentOptionsFrom(
  configuration: KubeletConfiguration,
  given: readonly ConfigurationField[] = Object.keys(configuration) as ConfigurationField[],
): KubeletAgentOptions {
  const effects = given.map((field) => readField(field, configuration));
  const options = mergeAgentConfigurations(...effects.map(({ ignored, ...effect }) => effect));
  checkOptionNames('KubeletConfiguration', options.agent, names.agent as OptionNames<AgentConfiguration['agent']>);
  return { ...options, ignored: effects.flatMap(({ ignored = [] }) => ignored) };
}

function readField(field: ConfigurationField, configuration: KubeletConfiguration): FieldEffect {
  const value = configuration[field];
  if (value === undefined) return {};
  if (isUnsupported(field)) return isDefault(field, value) ? {} : { ignored: [field] };
  const { [field]: special }: FieldReaders = specialFields;
  return special === undefined ? readSettings(field, value) : (special as FieldReader<ConfigurationField>)(value as never, configuration);
}

const isUnsupported = (field: ConfigurationField): field is UnsupportedField => (unsupportedFields as readonly string[]).includes(field);

/** A field without a default is 0, false or empty. */
function isDefault(field: UnsupportedField, value: unknown): boolean {
  const fallback = setDefaults({})[field];
  if (fallback !== undefined) return equalJson(value, fallback);
  return typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : !value;
}
