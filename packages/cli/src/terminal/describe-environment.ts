import type { Container, EnvFromSource, EnvVar } from '@nodeagent/api';
import type { Field } from './fields.js';

/** The environment of a container, as in `kubectl describe pod`: the values of secrets and configMaps stay references. */
export function environmentFields({ env = [], envFrom = [] }: Container): Field[] {
  return [
    ...(envFrom.length === 0 ? [] : [{ key: 'Environment Variables from', fields: envFrom.map(sourceField) }]),
    env.length === 0 ? { key: 'Environment', value: '<none>' } : { key: 'Environment', fields: env.map(variableField) },
  ];
}

function sourceField({ prefix, configMapRef, secretRef }: EnvFromSource): Field {
  const { name = '', optional = false } = configMapRef ?? secretRef ?? {};
  const kind = configMapRef ? 'ConfigMap' : 'Secret';
  return { key: name, value: `${kind}${prefix ? ` with prefix '${prefix}'` : ''}  Optional: ${optional}` };
}

function variableField({ name, value = '', valueFrom }: EnvVar): Field {
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef, fileKeyRef } = valueFrom ?? {};
  if (fieldRef) return { key: name, value: `(${fieldRef.apiVersion ?? 'v1'}:${fieldRef.fieldPath})` };
  if (resourceFieldRef) return { key: name, value: `(${resourceFieldRef.resource})` };
  if (secretKeyRef) return { key: name, value: reference(secretKeyRef, 'in secret') };
  if (configMapKeyRef) return { key: name, value: reference(configMapKeyRef, 'of config map') };
  if (fileKeyRef)
    return { key: name, value: `<set to the key '${fileKeyRef.key}' of ${fileKeyRef.path} in volume ${fileKeyRef.volumeName}>` };
  return { key: name, value };
}

const reference = ({ key, name = '', optional = false }: { key: string; name?: string; optional?: boolean }, where: string): string =>
  `<set to the key '${key}' ${where} '${name}'>  Optional: ${optional}`;
