import type { DownwardAPIVolumeFile, KeyToPath } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkDownwardFieldPath, checkResourceField } from '../validation/env.js';
import { checkRelativePath } from '../validation/names.js';

/** Permissions of files. */
export function checkMode(field: string, mode: number | undefined, problems: FieldProblems): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777))
    problems.invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}

/** The keys of a secret or config map that become files. */
export function checkItems(field: string, items: readonly KeyToPath[] | undefined, problems: FieldProblems): void {
  for (const [index, { key, path, mode }] of (items ?? []).entries()) {
    if (!key) problems.required(`${field}[${index}].key`);
    checkFilePath(`${field}[${index}].path`, path, problems);
    checkMode(`${field}[${index}].mode`, mode, problems);
  }
}

/** The files of a downward API volume. */
export function checkFiles(field: string, files: readonly DownwardAPIVolumeFile[] | undefined, problems: FieldProblems): void {
  for (const [index, { path, fieldRef, resourceFieldRef, mode }] of (files ?? []).entries()) {
    const place = `${field}[${index}]`;
    checkFilePath(`${place}.path`, path, problems);
    if (fieldRef && resourceFieldRef)
      problems.add(place, 'Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously');
    else if (fieldRef) checkDownwardFieldPath(`${place}.fieldRef`, fieldRef, problems);
    else if (resourceFieldRef) checkResourceField(`${place}.resourceFieldRef`, resourceFieldRef, true, problems);
    else problems.required(place, 'one of fieldRef and resourceFieldRef is required');
    checkMode(`${place}.mode`, mode, problems);
  }
}

/** A required path below the volume. */
export function checkFilePath(field: string, path: string | undefined, problems: FieldProblems): void {
  if (!path) {
    problems.required(field);
    return;
  }
  checkRelativePath(field, path, problems);
  if (path.startsWith('..') && !path.startsWith('../') && path !== '..') problems.invalid(field, path, "must not start with '..'");
}
