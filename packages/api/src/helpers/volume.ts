import type { Pod } from '../objects/pod.js';
import type { Volume } from '../objects/volume.js';
import type { VolumeReference } from '../objects/volume-reference.js';
import {
  type ClaimVolumeFacts,
  type VolumeDiskUse,
  type VolumeSourceFacts,
  type VolumeSourceKind,
  volumeSources,
} from '../objects/volume-sources.js';
import { isObject } from './is-object.js';

type AnyFacts = VolumeSourceFacts<object> & Partial<Pick<ClaimVolumeFacts<object>, 'claimName'>>;

interface KnownSource {
  kind: VolumeSourceKind;
  source: object;
  facts: AnyFacts;
}

/**
 * Whether the volume uses the node's disk, and whether that usage counts for the pod. Kubernetes documentation, "Local ephemeral storage".
 */
export function volumeDiskUse(volume: Volume): VolumeDiskUse {
  const uses = knownSources(volume).map(({ source, facts }) => facts.diskUse(source));
  return uses.find((use) => use !== 'none') ?? 'none';
}

/** The API objects that the volume refers to; `field` is the field of the volume, such as `iscsi.secretRef`. */
export function volumeReferences(volume: Volume): (VolumeReference & { field: string })[] {
  return knownSources(volume).flatMap(({ kind, source, facts }) =>
    facts.references(source).map(({ field, ...reference }) => ({ ...reference, field: field === undefined ? kind : `${kind}.${field}` })),
  );
}

/** Whether the volume is the persistent volume of a claim. */
export function hasClaim(volume: Volume): boolean {
  return knownSources(volume).some(({ facts }) => facts.claimName !== undefined);
}

/** The name of the claim, in the pod's namespace, whose persistent volume is mounted; undefined for a volume without. */
export function volumeClaimName(pod: Pod, volume: Volume): string | undefined {
  for (const { source, facts } of knownSources(volume)) {
    if (facts.claimName) return facts.claimName(source, pod.metadata?.name ?? '', volume.name);
  }
  return undefined;
}

/** A valid volume has exactly one. */
function knownSources(volume: Volume): KnownSource[] {
  return Object.entries(volume).flatMap(([kind, source]) =>
    Object.hasOwn(volumeSources, kind) && isObject(source)
      ? [{ kind: kind as VolumeSourceKind, source, facts: volumeSources[kind as VolumeSourceKind] as AnyFacts }]
      : [],
  );
}
