import type { Pod, PodStatus } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { yamlText } from './yaml-text.js';

const hidden = '<hidden>';

/**
 * The pod as YAML, as `kubectl get pod -o yaml` prints it, without what may contain a secret: values of environment variables, commands and
 * arguments, paths and headers of HTTP requests, attributes of CSI volumes, annotations that contain the whole object, and managed fields.
 */
export function podManifest(pod: Pod, status: PodStatus): string {
  const { apiVersion = 'v1', kind = 'Pod', metadata, spec } = pod;
  return yamlText(withoutSecrets({ apiVersion, kind, metadata, spec, status }));
}

const hiddenFields = new Set(['command', 'args', 'volumeAttributes']);
const omittedFields = new Set(['managedFields', 'kubectl.kubernetes.io/last-applied-configuration']);

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name, field]) => field !== undefined && !omittedFields.has(name));
  return Object.fromEntries(entries.map(([name, field]) => [name, fieldWithoutSecrets(name, field)]));
}

function fieldWithoutSecrets(name: string, field: unknown): unknown {
  if (hiddenFields.has(name)) return hidden;
  if ((name === 'env' || name === 'httpHeaders') && Array.isArray(field))
    return field.map((each) => hideField(withoutSecrets(each), 'value'));
  return name === 'httpGet' ? hideField(withoutSecrets(field), 'path') : withoutSecrets(field);
}

const hideField = (value: unknown, name: string): unknown => (isObject(value) && name in value ? { ...value, [name]: hidden } : value);
