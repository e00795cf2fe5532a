import type { Container, Pod } from '@nodeagent/api';
import { createFieldProblems, type FieldProblems } from '../field-problem.js';
import { checkTypes } from '../manifest/check-types.js';
import { podSchema } from '../manifest/pod-schema.js';
import { struct } from '../manifest/schema.js';
import { checkUid } from '../validation/metadata.js';
import { checkRequiredLabel, checkSubdomain } from '../validation/names.js';
import { podStatus } from './pod-status-schema.js';

const receivedPod = struct({ ...Object.fromEntries(podSchema.fields), status: podStatus });

/**
 * Why the agent refuses a pod of the API server, in one line: a field has another type than in the API, where a kubelet fails to decode the
 * pod, or a name that becomes the name of a folder is none. The API server refuses such pods itself; everything else it decides.
 */
export function podProblem(object: unknown): string | undefined {
  const problems = createFieldProblems();
  checkTypes(object, receivedPod, '', { problems, warnings: [], written: () => undefined });
  if (problems.list.length === 0) checkFolderNames(object as Pod, problems);
  const [first] = problems.list;
  return first && `${first.field === '' ? 'the pod' : first.field}: ${first.problem}`;
}

/** Folders below the root directory have the UID and the names of volumes; those of logs also the namespace, name and containers. */
function checkFolderNames({ metadata, spec }: Pod, problems: FieldProblems): void {
  const { uid = '', name = '', namespace } = metadata ?? {};
  if (uid === '') problems.required('metadata.uid');
  checkUid(uid, problems);
  checkSubdomain('metadata.name', name, problems);
  checkRequiredLabel('metadata.namespace', namespace, problems);
  const checkNames = (field: string, named: readonly Pick<Container, 'name'>[] | undefined) => {
    for (const [index, each] of (named ?? []).entries()) checkRequiredLabel(`spec.${field}[${index}].name`, each.name, problems);
  };
  checkNames('containers', spec?.containers);
  checkNames('initContainers', spec?.initContainers);
  checkNames('ephemeralContainers', spec?.ephemeralContainers);
  checkNames('volumes', spec?.volumes);
}
