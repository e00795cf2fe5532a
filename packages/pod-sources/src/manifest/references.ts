import type { Pod, VolumeReferenceKind } from '@nodeagent/api';
import { podContainers, volumeReferences } from '@nodeagent/api/helpers';
import type { FieldProblem } from '../field-problem.js';

type Find = (pod: Pod) => string | undefined;

/** Kinds that only volumes refer to, in the kubelet's order. Every kind needs an entry, which the compiler checks. */
const onlyOfVolumes: Readonly<Record<Exclude<VolumeReferenceKind, 'secret' | 'configMap'>, string>> = {
  csiDriver: 'csidrivers (via CSI volumes)',
  endpoints: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeralClaim: 'persistentvolumeclaims (via ephemeral volumes)',
  serviceAccount: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
};

/** Kinds that a static pod must not refer to, in the kubelet's order, with a function that finds the first reference. */
const checks: readonly (readonly [what: string, find: Find])[] = [
  ['serviceaccounts', serviceAccount],
  ['secrets', (pod) => pullSecret(pod) ?? inContainers(pod, 'secret') ?? inVolumes(pod, 'secret')],
  ['configmaps', (pod) => inContainers(pod, 'configMap') ?? inVolumes(pod, 'configMap')],
  ['resourceclaims', (pod) => (pod.spec?.resourceClaims?.length ? 'spec.resourceClaims[0]' : undefined)],
  ...Object.entries(onlyOfVolumes).map(([to, what]) => [what, (pod: Pod) => inVolumes(pod, to)] as const),
];

/** A reference to an API object, and what is wrong with it in a static pod. */
export interface ApiReference extends FieldProblem {
  /** The kind of object in the kubelet's words, such as `secrets` or `serviceaccounts (via projected volumes)`. */
  to: string;
}

/**
 * The first reference to an API object; undefined if there is none. Static pods must run without the API server, so they must not refer to
 * API objects. Source: Kubernetes documentation, "Create static Pods", and the feature gate PreventStaticPodAPIReferences.
 *
 * @param allowed - kinds that do not count, because the node has them without an API server. Default none
 */
export function findApiReference(pod: Pod, allowed: readonly string[] = []): ApiReference | undefined {
  for (const [to, find] of checks) {
    if (allowed.includes(to)) continue;
    const field = find(pod);
    if (field !== undefined) {
      return {
        to,
        field,
        problem: `static pods may not reference ${to}`,
        hint: 'put the content on the node and mount it as a hostPath volume',
      };
    }
  }
  return undefined;
}

/** `serviceAccount` is the deprecated name of the field. */
function serviceAccount({ spec }: Pod): string | undefined {
  if (spec?.serviceAccountName) return 'spec.serviceAccountName';
  return spec?.serviceAccount ? 'spec.serviceAccount' : undefined;
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

function inVolumes(pod: Pod, to: string): string | undefined {
  for (const [index, volume] of (pod.spec?.volumes ?? []).entries()) {
    const reference = volumeReferences(volume).find((each) => each.to === to);
    if (reference !== undefined) return `spec.volumes[${index}].${reference.field}`;
  }
  return undefined;
}
