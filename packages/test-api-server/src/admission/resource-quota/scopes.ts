import type { PersistentVolumeClaim, Pod } from '@nodeagent/api';
import { computeQosClass } from '@nodeagent/api/helpers';
import type { ApiObject } from '../../objects.js';
import { type QuotaSpec, requirementsOf, type ScopeRequirement } from './quota.js';

/** Whether a quota counts an object: its scopes select the object, or it has none. Kubernetes documentation, "Quota scopes". */
export function isInScope(storage: string, object: ApiObject, spec: QuotaSpec): boolean {
  const requirements = requirementsOf(spec);
  if (requirements.length === 0) return true;
  if (storage === '/pods') return requirements.every((each) => podMatches(object as Pod, each));
  if (storage !== '/persistentvolumeclaims') return false;
  return requirements.every((each) => each.scopeName === 'VolumeAttributesClass' && claimMatches(object as PersistentVolumeClaim, each));
}

function podMatches(pod: Pod, requirement: ScopeRequirement): boolean {
  const isBestEffort = () => (pod.status?.qosClass ?? computeQosClass(pod)) === 'BestEffort';
  const isTerminating = (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
  switch (requirement.scopeName) {
    case 'Terminating':
      return isTerminating;
    case 'NotTerminating':
      return !isTerminating;
    case 'BestEffort':
      return isBestEffort();
    case 'NotBestEffort':
      return !isBestEffort();
    case 'PriorityClass':
      return selects(requirement, pod.spec?.priorityClassName);
    case 'CrossNamespacePodAffinity':
      return usesOtherNamespaces(pod);
    default:
      return false;
  }
}

/** A claim counts for the classes that it has, and for the one that it asks for. */
function claimMatches({ spec, status }: PersistentVolumeClaim, requirement: ScopeRequirement): boolean {
  const names = [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName].filter((name) => name !== undefined);
  return names.length === 0 ? selects(requirement, undefined) : names.some((name) => selects(requirement, name));
}

function selects({ operator, values = [] }: ScopeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && value !== '' && values.includes(value);
    case 'NotIn':
      return !(value && values.includes(value));
    case 'Exists':
      return Boolean(value);
    default:
      return !value;
  }
}

interface AffinityTerm {
  namespaces?: readonly string[];
  namespaceSelector?: object;
  podAffinityTerm?: AffinityTerm;
}
interface AffinityTerms {
  requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[];
}

function usesOtherNamespaces(pod: Pod): boolean {
  const { podAffinity, podAntiAffinity } = (pod.spec?.affinity ?? {}) as { podAffinity?: AffinityTerms; podAntiAffinity?: AffinityTerms };
  return [podAffinity, podAntiAffinity].some((terms) =>
    [
      ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm = {} }) => podAffinityTerm),
    ].some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined),
  );
}
