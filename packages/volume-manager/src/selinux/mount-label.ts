import { NodeAgentError, type Pod, type SELinuxOptions, type VolumePlugin, type VolumeSpec } from '@nodeagent/api';
import { podContainers } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from '../errors.js';

/** Input of {@link seLinuxMountLabel}. */
export interface MountLabelInput {
  pod: Pod;
  /** The volume's name in the pod. */
  volumeName: string;
  spec: VolumeSpec;
  plugin: Pick<VolumePlugin, 'supportsSELinuxContext'>;
  /** Default label of containers' files (`user:role:type:level`); undefined if SELinux is disabled. */
  defaultLabel: string | undefined;
}

/**
 * The SELinux label for the mount option `-o context=`, which replaces labelling each file; empty for no mount option. Only for
 * `ReadWriteOncePod` volumes of plugins that support it. Throws `MultipleSELinuxLabels` if the pod's containers have different labels.
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
 * The label of a container's files: the default label with the container's user and level. Empty without a level: the runtime then
 * chooses one, so it is unknown before the container is created.
 */
export function seLinuxFileLabel(options: SELinuxOptions | undefined, defaultLabel: string): string {
  if (!options?.level) return '';
  const [user = '', role = '', type = ''] = defaultLabel.split(':');
  return [options.user || user, role, type, options.level].join(':');
}
