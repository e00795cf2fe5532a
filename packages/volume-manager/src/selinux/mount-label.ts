import { NodeAgentError, type Pod, podContainers, type SELinuxOptions, type VolumePlugin, type VolumeSpec } from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';

/** What the label of a volume's mount depends on. */
export interface MountLabelInput {
  pod: Pod;
  /** The volume's name in the pod. */
  volumeName: string;
  spec: VolumeSpec;
  plugin: Pick<VolumePlugin, 'supportsSELinuxContext'>;
  /** The label of containers' files where nobody says otherwise (`user:role:type:level`); undefined if SELinux is not enabled. */
  defaultLabel: string | undefined;
}

/**
 * The SELinux label that a whole volume is mounted with, `-o context=`, instead of labelling each file; empty if it is not: only for
 * persistent volumes that one pod at a time may have, of plugins that can. Throws `MultipleSELinuxLabels` if the pod's containers differ.
 * KEP-1710.
 */
export function seLinuxMountLabel({ pod, volumeName, spec, plugin, defaultLabel }: MountLabelInput): string {
  const modes = spec.persistentVolume?.spec?.accessModes ?? [];
  const isExclusive = modes.length === 1 && modes[0] === 'ReadWriteOncePod';
  if (defaultLabel === undefined || !isExclusive || !plugin.supportsSELinuxContext?.(spec)) return '';
  const { seLinuxOptions, seLinuxChangePolicy } = pod.spec?.securityContext ?? {};
  if (seLinuxChangePolicy === 'Recursive') return '';

  const labels = new Set<string>();
  for (const { container } of podContainers(pod)) {
    if (!container.volumeMounts?.some(({ name }) => name === volumeName)) continue;
    labels.add(seLinuxFileLabel(container.securityContext?.seLinuxOptions ?? seLinuxOptions, defaultLabel));
  }
  if (labels.size > 1) {
    const listed = [...labels].map((label) => label || '""').join(', ');
    throw new NodeAgentError(volumeManagerErrorCodes.multipleSELinuxLabels, `multiple SELinux labels found: ${listed}`);
  }
  return [...labels][0] ?? '';
}

/**
 * The label of the files of a container: the default one with the container's user and level. Empty without a level: it is the runtime that
 * then chooses one, so that nobody knows it before.
 */
export function seLinuxFileLabel(options: SELinuxOptions | undefined, defaultLabel: string): string {
  if (!options?.level) return '';
  const [user = '', role = '', type = ''] = defaultLabel.split(':');
  return [options.user || user, role, type, options.level].join(':');
}
