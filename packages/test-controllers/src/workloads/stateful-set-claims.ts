import type { OwnerReference, PersistentVolumeClaim, Pod } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { StatefulSet, Write } from './objects.js';
import { controllerOf, controllerReference } from './ownership.js';

type Claim = PersistentVolumeClaim;

const claimName = (template: Claim, podName: string): string => `${template.metadata?.name}-${podName}`;

/** The pod's volumes of the set's claims, by which those of its template with the same names are replaced. */
export function claimVolumes({ spec }: StatefulSet, podName: string) {
  return (spec.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(template, podName) },
  }));
}

/** Whether a claim of a missing pod is being deleted, or belongs to an earlier pod. */
export function isAnyClaimStale({ spec }: StatefulSet, podName: string, claims: ReadonlyMap<string, Claim>): boolean {
  return (spec.volumeClaimTemplates ?? []).some((template) => {
    const { deletionTimestamp, ownerReferences = [] } = claims.get(claimName(template, podName))?.metadata ?? {};
    return deletionTimestamp !== undefined || ownerReferences.some(({ kind, name }) => kind === 'Pod' && name === podName);
  });
}

/** Creates the missing claims of a pod in the range of ordinals. */
export function missingClaims(statefulSet: StatefulSet, podName: string, claims: ReadonlyMap<string, Claim>): Write[] {
  const { volumeClaimTemplates = [], selector } = statefulSet.spec;
  const { namespace } = statefulSet.metadata;
  return volumeClaimTemplates
    .filter((template) => !claims.has(claimName(template, podName)))
    .map((template): Write => {
      const labels = { ...template.metadata?.labels, ...selector?.matchLabels };
      const owners = wantedOwners(statefulSet, undefined);
      const metadata = {
        ...template.metadata,
        name: claimName(template, podName),
        ...(namespace && { namespace }),
        labels,
        ...(owners.length > 0 && { ownerReferences: owners }),
      };
      return { verb: 'create', object: { ...template, apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata } };
    });
}

/**
 * Gives the claims of a pod the owners by which they are deleted later: the set, or the pod once it is scaled down. Kubernetes
 * documentation, "StatefulSets: PersistentVolumeClaim retention".
 */
export function retentionWrites(statefulSet: StatefulSet, pod: Pod, isScaledDown: boolean, claims: ReadonlyMap<string, Claim>): Write[] {
  return (statefulSet.spec.volumeClaimTemplates ?? []).flatMap((template): Write[] => {
    const claim = claims.get(claimName(template, pod.metadata?.name ?? ''));
    if (claim === undefined) return [];
    const before = claim.metadata?.ownerReferences ?? [];
    const others = before.filter(({ uid }) => uid !== statefulSet.metadata.uid && uid !== pod.metadata?.uid);
    const isForeign = controllerOf({ metadata: { ownerReferences: others } }) !== undefined;
    const after = isForeign ? others : [...others, ...wantedOwners(statefulSet, isScaledDown ? pod : undefined)];
    if (equalJson(before, after)) return [];
    const { ownerReferences: _, ...metadata } = claim.metadata ?? {};
    return [{ verb: 'update', object: { ...claim, metadata: { ...metadata, ...(after.length > 0 && { ownerReferences: after }) } } }];
  });
}

/** The owners of a claim; `scaledDown` is its pod if that is not in the range of ordinals. */
function wantedOwners(statefulSet: StatefulSet, scaledDown: Pod | undefined): OwnerReference[] {
  const { whenDeleted, whenScaled } = statefulSet.spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (scaledDown && whenScaled === 'Delete') {
    const { name = '', uid = '' } = scaledDown.metadata ?? {};
    return [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }];
  }
  return whenDeleted === 'Delete' ? [controllerReference(statefulSet)] : [];
}
