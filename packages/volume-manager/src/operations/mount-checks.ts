import type { Node, VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { matchesNodeSelector } from '@nodeagent/api/helpers';

const mountOptionsAnnotation = 'volume.beta.kubernetes.io/mount-options';

/** Why the node does not match the volume's node affinity; undefined if it does. */
export function affinityProblem({ persistentVolume }: VolumeSpec, node: Node | undefined): string | undefined {
  const required = persistentVolume?.spec?.nodeAffinity?.required;
  if (required === undefined) return undefined;
  if (node === undefined) return 'the Node has not been read yet';
  return matchesNodeSelector(required, node) ? undefined : 'no matching NodeSelectorTerms';
}

/** Why the plugin rejects the mount options of the volume; undefined if it accepts them. */
export function mountOptionsProblem({ persistentVolume }: VolumeSpec, plugin: VolumePlugin): string | undefined {
  const { metadata, spec } = persistentVolume ?? {};
  const asked = metadata?.annotations?.[mountOptionsAnnotation] || (spec?.mountOptions?.length ?? 0) > 0;
  return asked && !plugin.supportsMountOption ? 'mount options are not supported for this volume type' : undefined;
}

/** Why the access mode forbids this pod the volume; undefined if it does not. `ReadWriteOncePod` applies only as the sole access mode. */
export function accessModeProblem({ persistentVolume }: VolumeSpec, isMountedElsewhere: boolean): string | undefined {
  const modes = persistentVolume?.spec?.accessModes ?? [];
  return isMountedElsewhere && modes.length === 1 && modes[0] === 'ReadWriteOncePod'
    ? 'volume uses the ReadWriteOncePod access mode and is already in use by another pod'
    : undefined;
}
