import type { Pod } from '@nodeagent/api';
import { podContainers, volumeReferences } from '@nodeagent/api/helpers';

/** The names of the secrets that a pod refers to: to pull its images, in its containers' environments and in its volumes. */
export function secretsOfPod(pod: Pod): Set<string> {
  const pullSecrets = pod.spec?.imagePullSecrets ?? [];
  return known([...namesInEnvironment(pod, 'secret'), ...pullSecrets.map(({ name }) => name), ...namesInVolumes(pod, 'secret')]);
}

/** The names of the config maps that a pod refers to: in its containers' environments and in its volumes. */
export function configMapsOfPod(pod: Pod): Set<string> {
  return known([...namesInEnvironment(pod, 'configMap'), ...namesInVolumes(pod, 'configMap')]);
}

function* namesInEnvironment(pod: Pod, kind: 'secret' | 'configMap'): Generator<string | undefined> {
  for (const { container } of podContainers(pod)) {
    for (const from of container.envFrom ?? []) yield from[`${kind}Ref`]?.name;
    for (const { valueFrom } of container.env ?? []) yield valueFrom?.[`${kind}KeyRef`]?.name;
  }
}

function* namesInVolumes(pod: Pod, kind: 'secret' | 'configMap'): Generator<string | undefined> {
  for (const volume of pod.spec?.volumes ?? []) {
    for (const { to, name } of volumeReferences(volume)) if (to === kind) yield name;
  }
}

const known = (names: readonly (string | undefined)[]) => new Set(names.flatMap((name) => name || []));
