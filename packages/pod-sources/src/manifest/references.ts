import { isObject, type Pod, podContainers, type Volume } from '@nodeagent/api';
import type { FieldProblem } from '../field-problem.js';

type Find = (pod: Pod) => string | undefined;

/** What a static pod may not refer to, in the order in which a kubelet looks, and where the first such reference stands. */
const checks: readonly (readonly [what: string, find: Find])[] = [
  ['serviceaccounts', (pod) => (pod.spec?.serviceAccountName ? 'spec.serviceAccountName' : undefined)],
  ['secrets', (pod) => pullSecret(pod) ?? inContainers(pod, 'secret') ?? inVolumes(pod, secretOf)],
  ['configmaps', (pod) => inContainers(pod, 'configMap') ?? inVolumes(pod, (volume) => sourceOf(volume, 'configMap'))],
  ['resourceclaims', (pod) => (pod.spec?.resourceClaims?.length ? 'spec.resourceClaims[0]' : undefined)],
  ['csidrivers (via CSI volumes)', (pod) => inVolumes(pod, ({ csi }) => (csi ? 'csi' : undefined))],
  ['endpoints (via glusterFS volumes)', (pod) => inVolumes(pod, (volume) => ('glusterfs' in volume ? 'glusterfs' : undefined))],
  ['persistentvolumeclaims', (pod) => inVolumes(pod, (volume) => (volume.persistentVolumeClaim ? 'persistentVolumeClaim' : undefined))],
  ['persistentvolumeclaims (via ephemeral volumes)', (pod) => inVolumes(pod, ({ ephemeral }) => (ephemeral ? 'ephemeral' : undefined))],
  ['secrets (via azureFile volumes)', (pod) => inVolumes(pod, (volume) => ('azureFile' in volume ? 'azureFile' : undefined))],
  ['serviceaccounts (via projected volumes)', (pod) => inVolumes(pod, (volume) => projected(volume, 'serviceAccountToken'))],
  ['clustertrustbundles', (pod) => inVolumes(pod, (volume) => projected(volume, 'clusterTrustBundle'))],
  ['podcertificates', (pod) => inVolumes(pod, (volume) => projected(volume, 'podCertificate'))],
];

/**
 * The first reference to an API object; undefined if there is none. Static pods run without the API, so they may not refer to it.
 * Source: Kubernetes documentation, "Create static Pods", and the feature gate PreventStaticPodAPIReferences.
 */
export function findApiReference(pod: Pod): FieldProblem | undefined {
  for (const [what, find] of checks) {
    const field = find(pod);
    if (field !== undefined) {
      return {
        field,
        problem: `static pods may not reference ${what}`,
        hint: 'put the content on the node and mount it as a hostPath volume',
      };
    }
  }
  return undefined;
}

function pullSecret(pod: Pod): string | undefined {
  return pod.spec?.imagePullSecrets?.length ? 'spec.imagePullSecrets[0]' : undefined;
}

function inContainers(pod: Pod, kind: 'secret' | 'configMap'): string | undefined {
  const indexes = new Map<string, number>();
  for (const { field, container } of podContainers(pod)) {
    const index = indexes.get(field) ?? 0;
    indexes.set(field, index + 1);
    const path = `spec.${field}[${index}]`;
    const from = container.envFrom?.findIndex((entry) => entry[`${kind}Ref`] !== undefined) ?? -1;
    if (from >= 0) return `${path}.envFrom[${from}].${kind}Ref`;
    const env = container.env?.findIndex(({ valueFrom }) => valueFrom?.[`${kind}KeyRef`] !== undefined) ?? -1;
    if (env >= 0) return `${path}.env[${env}].valueFrom.${kind}KeyRef`;
  }
  return undefined;
}

function inVolumes(pod: Pod, find: (volume: Volume) => string | undefined): string | undefined {
  for (const [index, volume] of (pod.spec?.volumes ?? []).entries()) {
    const field = find(volume);
    if (field !== undefined) return `spec.volumes[${index}].${field}`;
  }
  return undefined;
}

function sourceOf(volume: Volume, kind: 'secret' | 'configMap'): string | undefined {
  return volume[kind] ? kind : projected(volume, kind);
}

/** A secret volume, a projected secret, or any other source's reference to one. */
function secretOf(volume: Volume): string | undefined {
  const own = sourceOf(volume, 'secret');
  if (own !== undefined) return own;
  for (const [kind, source] of Object.entries(volume)) {
    if (!isObject(source)) continue;
    for (const reference of ['secretRef', 'nodePublishSecretRef']) if (source[reference] !== undefined) return `${kind}.${reference}`;
    if (kind === 'azureFile') return `${kind}.secretName`;
  }
  return undefined;
}

function projected(volume: Volume, kind: keyof NonNullable<NonNullable<Volume['projected']>['sources']>[number]): string | undefined {
  const index = volume.projected?.sources?.findIndex((source) => source[kind] !== undefined) ?? -1;
  return index < 0 ? undefined : `projected.sources[${index}].${kind}`;
}
