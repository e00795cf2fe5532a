import type { ResourceList } from '@nodeagent/api';
import { parseResourceList } from '@nodeagent/api/helpers';
import type { ApiObject } from '../../objects.js';
import type { Usage } from './usage.js';

/** A requirement of a quota's scope: Kubernetes API reference, "ScopedResourceSelectorRequirement". */
export interface ScopeRequirement {
  scopeName: string;
  operator: string;
  values?: readonly string[];
}

export interface QuotaSpec {
  hard?: ResourceList;
  scopes?: readonly string[];
  scopeSelector?: { matchExpressions?: readonly ScopeRequirement[] };
}

export interface QuotaStatus {
  hard?: ResourceList;
  used?: ResourceList;
}

export const quotaSpecOf = ({ spec }: ApiObject): QuotaSpec => (spec as QuotaSpec | undefined) ?? {};
export const quotaStatusOf = ({ status }: ApiObject): QuotaStatus => (status as QuotaStatus | undefined) ?? {};

export const amountsOf = (list: ResourceList | undefined): Usage => parseResourceList(list);

/** All scopes of a quota, those of `scopes` as requirements too. */
export function requirementsOf({ scopes = [], scopeSelector }: QuotaSpec): readonly ScopeRequirement[] {
  const plain = scopes.map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(scopeSelector?.matchExpressions ?? [])];
}
