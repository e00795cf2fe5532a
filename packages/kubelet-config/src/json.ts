import { isObject } from '@nodeagent/api/helpers';
import { type FieldKind, type Fields, type KubeletConfiguration, kubeletConfigurationFields } from './fields.js';

/**
 * The configuration as the API writes it: empty lists and maps are omitted; empty objects are kept. Decoding it again replaces an explicit
 * empty list by the default.
 */
export function configurationToJson(configuration: KubeletConfiguration): KubeletConfiguration {
  return withoutEmpty(configuration, kubeletConfigurationFields);
}

function withoutEmpty(value: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    const kind = fields[name];
    if (kind !== undefined && entry !== undefined && !isEmptyCollection(entry, kind))
      written[name] =
        typeof kind === 'object' && 'object' in kind && isObject(entry) ? withoutEmpty(entry, kind.object) : structuredClone(entry);
  }
  return written;
}

function isEmptyCollection(value: unknown, kind: FieldKind): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && !(typeof kind === 'object' && 'object' in kind) && Object.keys(value).length === 0;
}
