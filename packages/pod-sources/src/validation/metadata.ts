import type { ObjectMeta } from '@nodeagent/api';
import { utf8Length } from '@nodeagent/api/helpers';
import type { FieldProblems } from '../field-problem.js';
import { checkLabel, checkLabels, checkQualifiedName, checkSubdomain } from './names.js';

const annotationsLimit = 256 * 1024;

/** The metadata of a pod to be created. Source: Kubernetes documentation, "Object Names and IDs", "Labels and Selectors", "Annotations". */
export function checkMetadata(metadata: ObjectMeta, problems: FieldProblems): void {
  checkSubdomain('metadata.name', metadata.name ?? '', problems);
  checkLabel('metadata.namespace', metadata.namespace ?? '', problems);
  checkUid(metadata.uid ?? '', problems);
  checkLabels('metadata.labels', metadata.labels, problems);
  checkAnnotations(metadata.annotations ?? {}, problems);
  for (const [index, owner] of (metadata.ownerReferences ?? []).entries()) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!owner[field]) problems.required(`metadata.ownerReferences[${index}].${field}`);
    }
  }
  for (const [index, name] of (metadata.finalizers ?? []).entries()) checkQualifiedName(`metadata.finalizers[${index}]`, name, problems);
}

/** The UID names the pod's folder on the node. */
export function checkUid(uid: string, problems: FieldProblems): void {
  if (uid === '.' || uid === '..' || uid.length > 128 || !/^[A-Za-z0-9._-]*$/.test(uid)) {
    problems.invalid('metadata.uid', uid, "must have at most 128 letters, digits, '-', '_' and '.', because it names the pod's folder");
  }
}

function checkAnnotations(annotations: Readonly<Record<string, string>>, problems: FieldProblems): void {
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    checkQualifiedName('metadata.annotations', key.toLowerCase(), problems);
    size += key.length + utf8Length(value);
  }
  if (size > annotationsLimit) problems.add('metadata.annotations', `Too long: may not be more than ${annotationsLimit} bytes`);
}
