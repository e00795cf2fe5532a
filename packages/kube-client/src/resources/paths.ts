import { NodeAgentError } from '@nodeagent/api';
import { kubeClientErrorCodes } from '../errors.js';

/** A resource, as named in API URLs. */
export interface ResourceDefinition {
  /** Empty for the core API. */
  group: string;
  version: string;
  /** Plural and lower case, such as `pods`. */
  resource: string;
  namespaced: boolean;
}

/** The object or subresource of a URL; a namespaced resource without a namespace means all namespaces. */
export interface ResourceTarget {
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

/** The path of a resource (Kubernetes docs, "Kubernetes API Concepts", "Resource URIs"). Throws `InvalidName`. */
export function resourcePath(definition: ResourceDefinition, { namespace, name, subresource }: ResourceTarget): string {
  const { group, version, resource, namespaced } = definition;
  const parts = group === '' ? ['api', version] : ['apis', group, version];
  if (namespaced && namespace !== undefined) parts.push('namespaces', segment('namespace', namespace));
  if (namespaced && namespace === undefined && name !== undefined) {
    throw new NodeAgentError(kubeClientErrorCodes.invalidName, `${resource} "${name}": the namespace is missing`, {
      details: { field: 'namespace' },
    });
  }
  parts.push(resource);
  if (name !== undefined) parts.push(segment('name', name));
  if (subresource !== undefined) parts.push(...subresource.split('/').map((part) => segment('subresource', part)));
  return `/${parts.join('/')}`;
}

/** A path segment (API conventions, "Names": no `.`, no `..`, no `/`, no `%`). */
function segment(field: string, value: string): string {
  if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new NodeAgentError(kubeClientErrorCodes.invalidName, `${field} ${JSON.stringify(value)} is not valid in a URL path`, {
      details: { field, value },
    });
  }
  return encodeURIComponent(value);
}
