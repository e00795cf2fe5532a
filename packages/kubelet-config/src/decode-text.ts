import { defaultEvictionHard, isObject } from '@nodeagent/api/helpers';
import { kubeletConfigurationErrors } from './configuration-error.js';
import { decodeConfiguration } from './decode.js';
import { unknownGates } from './feature-gates.js';
import type { KubeletConfiguration } from './fields.js';
import { parseText } from './parse-text.js';

export const kubeletConfigurationApiVersion = 'kubelet.config.k8s.io/v1beta1';
export const kubeletConfigurationKind = 'KubeletConfiguration';

/** What was found in the texts of a configuration. */
export interface Recorded {
  given: Set<keyof KubeletConfiguration>;
  warnings: string[];
}

/** Decodes the text of a configuration file. */
export async function decodeText(text: string, path: string, recorded: Recorded): Promise<KubeletConfiguration> {
  if (text.length === 0) throw kubeletConfigurationErrors([`kubelet config file "${path}" was empty`]);
  const { value, duplicates } = await parseText(text);
  const { kind, apiVersion, isKnown } = typeOf(value);
  if (!isKnown) throw kubeletConfigurationErrors([`no kind "${kind}" is registered for version "${apiVersion}"`]);
  return decodeAndRecord(value, duplicates, path, recorded);
}

/** Decodes the content of a file, and records the fields that it sets and its warnings. */
export function decodeAndRecord(
  value: unknown,
  duplicates: readonly string[],
  path: string,
  { given, warnings }: Recorded,
): KubeletConfiguration {
  const { configuration, unknownFields } = decodeConfiguration(value);
  for (const field of Object.keys(configuration)) given.add(field as keyof KubeletConfiguration);
  warnings.push(...[...duplicates, ...unknownFields].map((warning) => `${path}: ${warning}`));
  return configuration;
}

/** The type of a configuration, and whether this package reads it. */
export function typeOf(value: unknown): { kind: string; apiVersion: string; isKnown: boolean } {
  const { kind, apiVersion } = isObject(value) ? value : {};
  if (typeof kind !== 'string' || kind === '') throw kubeletConfigurationErrors([`Object 'Kind' is missing in '${JSON.stringify(value)}'`]);
  const isKnown = kind === kubeletConfigurationKind && apiVersion === kubeletConfigurationApiVersion;
  return { kind, apiVersion: typeof apiVersion === 'string' ? apiVersion : '', isKnown };
}

/**
 * Without thresholds in the file the defaults apply; with `mergeDefaultEvictionSettings` the defaults fill in missing thresholds. An empty
 * map is kept.
 */
export function withEvictionDefaults(config: KubeletConfiguration, merges = false): KubeletConfiguration {
  const { evictionHard } = config;
  if (evictionHard !== undefined && !merges) return config;
  return { ...config, evictionHard: { ...defaultEvictionHard, ...evictionHard } };
}

/** The configuration without its type, with what was recorded of its texts. */
export function configurationOf(complete: KubeletConfiguration, { given, warnings }: Recorded) {
  const { apiVersion, kind, ...configuration } = complete;
  return {
    configuration,
    given: [...given].filter((field) => field in configuration),
    warnings: [...warnings, ...unknownGates(complete.featureGates)],
  };
}
