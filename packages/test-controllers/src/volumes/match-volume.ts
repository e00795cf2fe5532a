import type { Node, PersistentVolume, PersistentVolumeClaim } from '@nodeagent/api';
import { matchesLabelSelector, matchesNodeSelector, Quantity } from '@nodeagent/api/helpers';

/** The storage class of a claim or volume; empty without one. */
export const className = ({ spec }: { spec?: { storageClassName?: string } }): string => spec?.storageClassName ?? '';

export const requestedStorage = ({ spec }: PersistentVolumeClaim): bigint => amount(spec?.resources?.requests?.storage);

/** An amount of storage, in thousandths of a byte. */
export const amount = (text: string | undefined): bigint => (text === undefined ? 0n : Quantity.parse(text).milliValue());

/** Whether the volume is reserved for the claim. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec ?? {};
  const isNamed = claimRef?.namespace === metadata?.namespace && claimRef?.name === metadata?.name;
  return isNamed && (claimRef?.uid === undefined || claimRef.uid === metadata?.uid);
}

/** Why a volume cannot be bound to a claim that names it; undefined if it can. */
export function mismatch({ spec }: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { accessModes = [], volumeMode = 'Filesystem' } = claim.spec ?? {};
  if (amount(spec?.capacity?.storage) < requestedStorage(claim)) return 'requested PV is too small';
  if ((spec?.storageClassName ?? '') !== className(claim)) return 'storageClassName does not match';
  if ((spec?.volumeAttributesClassName ?? '') !== (claim.spec?.volumeAttributesClassName ?? ''))
    return 'volumeAttributesClassName does not match';
  if ((spec?.volumeMode ?? 'Filesystem') !== volumeMode) return 'incompatible volumeMode';
  return accessModes.every((mode) => spec?.accessModes?.includes(mode)) ? undefined : 'incompatible accessMode';
}

/**
 * The volume that a claim gets: the one reserved for it, or else the smallest free one that fits. `node` is that of the pod which uses the claim
 * first. Kubernetes documentation, "Persistent Volumes: Binding".
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  node: Node | undefined,
): PersistentVolume | undefined {
  const fitting = volumes.filter(
    (volume) => !volume.metadata?.deletionTimestamp && mismatch(volume, claim) === undefined && reaches(volume, node),
  );
  const reserved = fitting.find((volume) => isReservedFor(volume, claim));
  if (reserved) return reserved;
  const { selector } = claim.spec ?? {};
  return fitting
    .filter(
      ({ metadata, spec, status }) =>
        !spec?.claimRef && status?.phase === 'Available' && (!selector || matchesLabelSelector(selector, metadata?.labels)),
    )
    .sort(bySizeAndName)[0];
}

function reaches({ spec }: PersistentVolume, node: Node | undefined): boolean {
  const required = spec?.nodeAffinity?.required;
  return !required || !node || matchesNodeSelector(required, node);
}

function bySizeAndName(a: PersistentVolume, b: PersistentVolume): number {
  const difference = amount(a.spec?.capacity?.storage) - amount(b.spec?.capacity?.storage);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}
