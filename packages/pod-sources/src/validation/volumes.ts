import type { Volume } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkRequiredLabel } from './names.js';
import { checkVolumeSource } from './volume-sources.js';

/** The volumes of a pod, by name. Source: Kubernetes documentation, "Volumes", and the Volume reference. */
export function checkVolumes(volumes: readonly Volume[], hasServiceAccount: boolean, problems: FieldProblems): Map<string, Volume> {
  const byName = new Map<string, Volume>();
  for (const [index, volume] of volumes.entries()) {
    const field = `spec.volumes[${index}]`;
    checkRequiredLabel(`${field}.name`, volume.name, problems);
    if (volume.name && byName.has(volume.name)) problems.duplicate(`${field}.name`, volume.name);
    byName.set(volume.name, volume);
    const [, ...more] = Object.keys(volume).filter((key) => key !== 'name');
    for (const source of more) problems.forbidden(`${field}.${source}`, 'may not specify more than 1 volume type');
    checkVolumeSource(field, volume, hasServiceAccount, problems);
  }
  return byName;
}
