import { isObject } from '@nodeagent/api/helpers';
import { timestamp } from '../context.js';
import type { KindFieldProblem, KindRules } from '../kinds/kind-rules.js';
import { fillIn } from '../kinds/workloads.js';
import type { ApiObject } from '../objects.js';
import { withCondition } from './definition-condition.js';
import { specProblems, updateProblems } from './definition-problems.js';
import { cleanupFinalizer, type DefinitionStatusFields, isTrue, specOf, statusOf } from './definition-spec.js';

/** The rules of CustomResourceDefinitions; their conditions follow in later writes (`DefinitionStatus`). */
export const definitionRules: KindRules = {
  prepareCreate(object) {
    setDefaults(object);
    object.status = {
      acceptedNames: { plural: '', kind: '' },
      conditions: null,
      storedVersions: storageVersions(object),
    };
  },
  prepareUpdate(object) {
    setDefaults(object);
    const status = (object.status ?? {}) as DefinitionStatusFields;
    const stored = status.storedVersions ?? [];
    const added = storageVersions(object).filter((name) => !stored.includes(name));
    if (added.length > 0) object.status = { ...status, storedVersions: [...stored, ...added] };
  },
  prepareDelete(object, context) {
    const finalizers = object.metadata.finalizers ?? [];
    if (object.metadata.deletionTimestamp || finalizers.includes(cleanupFinalizer)) return object;
    const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
    const terminating = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message };
    const status = withCondition(statusOf(object), terminating, timestamp(context));
    return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, cleanupFinalizer] }, status };
  },
  validate: (object): KindFieldProblem[] => specProblems(object),
  validateUpdate: (object, before) => updateProblems(object, before, isTrue(before, 'Established')),
};

const storageVersions = (object: ApiObject) => (specOf(object).versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);

function setDefaults(object: ApiObject): void {
  const { names } = specOf(object);
  if (isObject(names) && names.kind) fillIn(names, { singular: String(names.kind).toLowerCase(), listKind: `${names.kind}List` });
  fillIn(object, { spec: { conversion: { strategy: 'None' } } });
}
