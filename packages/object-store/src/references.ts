import { isObject, type Pod, podContainers, type Volume } from '@nodeagent/api';

/** The names of the secrets that a pod refers to: to pull its images, in its containers' environments and in its volumes. */
export function secretsOfPod(pod: Pod): Set<string> {
  const names = environmentOf(pod, 'secret');
  for (const { name } of pod.spec?.imagePullSecrets ?? []) add(names, name);
  for (const volume of pod.spec?.volumes ?? []) {
    for (const source of Object.values<unknown>({ ...volume })) {
      if (!isObject(source)) continue;
      for (const name of [source.secretName, nameIn(source.secretRef), nameIn(source.nodePublishSecretRef)]) add(names, name);
    }
    addProjected(names, volume, 'secret');
  }
  return names;
}

/** The names of the config maps that a pod refers to: in its containers' environments and in its volumes. */
export function configMapsOfPod(pod: Pod): Set<string> {
  const names = environmentOf(pod, 'configMap');
  for (const volume of pod.spec?.volumes ?? []) {
    add(names, volume.configMap?.name);
    addProjected(names, volume, 'configMap');
  }
  return names;
}

function environmentOf(pod: Pod, kind: 'secret' | 'configMap'): Set<string> {
  const names = new Set<string>();
  for (const { container } of podContainers(pod)) {
    for (const from of container.envFrom ?? []) add(names, from[`${kind}Ref`]?.name);
    for (const { valueFrom } of container.env ?? []) add(names, valueFrom?.[`${kind}KeyRef`]?.name);
  }
  return names;
}

function addProjected(names: Set<string>, { projected }: Volume, kind: 'secret' | 'configMap'): void {
  for (const source of projected?.sources ?? []) add(names, source[kind]?.name);
}

const nameIn = (reference: unknown) => (isObject(reference) ? reference.name : undefined);

function add(names: Set<string>, name: unknown): void {
  if (typeof name === 'string' && name !== '') names.add(name);
}
