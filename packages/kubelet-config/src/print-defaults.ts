import { defaultEvictionHard } from '@nodeagent/api/helpers';
import { kubeletConfigurationApiVersion, kubeletConfigurationKind } from './decode-text.js';
import { setDefaults } from './defaults.js';
import { kubeletConfigurationFields } from './fields.js';
import { configurationToJson } from './json.js';

/** The configuration of an empty file as YAML, itself a valid configuration file. */
export async function printDefaults(): Promise<string> {
  const { stringify } = await import('yaml');
  const defaults = configurationToJson({
    apiVersion: kubeletConfigurationApiVersion,
    kind: kubeletConfigurationKind,
    ...setDefaults({}),
    evictionHard: { ...defaultEvictionHard },
  });
  const order = Object.keys(kubeletConfigurationFields);
  return stringify(Object.fromEntries(Object.entries(defaults).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))));
}
