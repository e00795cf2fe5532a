import type { Volume } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import type { FieldProblems } from '../field-problem.js';
import { checkRequiredLabel } from '../validation/names.js';
import { checkMode } from './check-volume-items.js';
import { rulesOf } from './volume-source-rules.js';

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
    for (const [kind, source] of Object.entries(volume)) {
      if (isObject(source)) checkVolumeSource(`${field}.${kind}`, kind, source, hasServiceAccount, problems);
    }
  }
  return byName;
}

function checkVolumeSource(
  field: string,
  kind: string,
  source: Record<string, unknown>,
  hasServiceAccount: boolean,
  problems: FieldProblems,
): void {
  const { required = [], check } = rulesOf(kind) ?? {};
  for (const name of required) {
    const value = source[name];
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) problems.required(`${field}.${name}`);
  }
  if (typeof source.defaultMode === 'number') checkMode(`${field}.defaultMode`, source.defaultMode, problems);
  check?.(source, { field, hasServiceAccount, problems });
}
