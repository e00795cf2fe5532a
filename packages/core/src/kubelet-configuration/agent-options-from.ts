import { isDeepStrictEqual } from 'node:util';
import { checkOptionNames } from '@nodeagent/api';
import { type KubeletConfiguration, setDefaults } from '@nodeagent/kubelet-config';
import type { NodeAgentOptions } from '../node-agent-options.js';
import { optionNames } from '../option-names.js';
import { type AgentConfiguration, mergeAgentConfigurations } from './agent-configuration.js';
import { evictionFields, podFields, runtimeFields, sourceFields } from './agent-fields.js';
import type { ConfigurationField, FieldEffect, FieldReader } from './field-readers.js';
import { nodeFields } from './node-fields.js';
import { resourceManagerFields } from './resource-manager-fields.js';
import { serverFields } from './server-fields.js';
import { type UnsupportedField, unsupportedFields } from './unsupported-fields.js';

/** A KubeletConfiguration as options of an agent. */
export interface KubeletAgentOptions extends AgentConfiguration {
  /** The fields, and feature gates as `featureGates.NAME`, that differ from their default and that the agent does not support. */
  ignored: string[];
}

/** Every field has a reader here or is listed as unsupported: a new field of `@nodeagent/kubelet-config` does not compile otherwise. */
const readers: { readonly [Name in Exclude<ConfigurationField, UnsupportedField>]: FieldReader<Name> } = {
  apiVersion: () => ({}),
  kind: () => ({}),
  ...sourceFields,
  ...podFields,
  ...runtimeFields,
  ...evictionFields,
  ...nodeFields,
  ...resourceManagerFields,
  ...serverFields,
};

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
  checkOptionNames<Partial<NodeAgentOptions>>('KubeletConfiguration', options.agent, optionNames);
  return { ...options, ignored: effects.flatMap(({ ignored = [] }) => ignored) };
}

function readField(field: ConfigurationField, configuration: KubeletConfiguration): FieldEffect {
  const value = configuration[field];
  if (value === undefined) return {};
  if (isUnsupported(field)) return isDefault(field, value) ? {} : { ignored: [field] };
  return (readers[field] as FieldReader<ConfigurationField>)(value as never, configuration);
}

const isUnsupported = (field: ConfigurationField): field is UnsupportedField => (unsupportedFields as readonly string[]).includes(field);

/** A field without a default is 0, false or empty. */
function isDefault(field: UnsupportedField, value: unknown): boolean {
  const fallback = setDefaults({})[field];
  if (fallback !== undefined) return isDeepStrictEqual(value, fallback);
  return typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : !value;
}
