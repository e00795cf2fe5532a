import { matchesNodeSelector, type Node, type VolumePlugin, type VolumeSpec } from '@nodeagent/api';

const mountOptionsAnnotation = 'volume.beta.kubernetes.io/mount-options';

/** Why the volume cannot be reached from the node; undefined if it can. */
export function affinityProblem({ persistentVolume }: VolumeSpec, node: Node | undefined): string | undefined {
  const required = persistentVolume?.spec?.nodeAffinity?.required;
  if (required === undefined) return undefined;
  if (node === undefined) return 'the node is not known yet';
  return matchesNodeSelector(required, node) ? undefined : 'no matching NodeSelectorTerms';
}

/** Why the volume cannot be mounted with the options that it asks for; undefined if it can. */
export function mountOptionsProblem({ persistentVolume }: VolumeSpec, plugin: VolumePlugin): string | undefined {
  const { metadata, spec } = persistentVolume ?? {};
  const asked = metadata?.annotations?.[mountOptionsAnnotation] || (spec?.mountOptions?.length ?? 0) > 0;
  return asked && !plugin.supportsMountOption ? 'mount options are not supported for this volume type' : undefined;
}

/** Why the pod must not have the volume while another pod has it; undefined if it may. `ReadWriteOncePod` counts if it is the only mode. */
export function accessModeProblem({ persistentVolume }: VolumeSpec, isMountedElsewhere: boolean): string | undefined {
  const modes = persistentVolume?.spec?.accessModes ?? [];
  return isMountedElsewhere && modes.length === 1 && modes[0] === 'ReadWriteOncePod'
    ? 'volume uses the ReadWriteOncePod access mode and is already in use by another pod'
    : undefined;
}
