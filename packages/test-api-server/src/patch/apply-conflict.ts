import { apiStatusError, type NodeAgentError } from '@nodeagent/api';
import { type FieldSet, fieldPaths } from './field-set.js';
import type { Manager } from './managed-fields.js';

/** Fields that an apply would change although another manager owns them. */
export interface ApplyConflict {
  owner: Manager;
  fields: FieldSet;
}

/** The conflict of an apply: one cause for each field. Kubernetes documentation, "Server-Side Apply: Conflicts". */
export function applyConflict(conflicts: readonly ApplyConflict[]): NodeAgentError {
  const found = conflicts
    .map(({ owner, fields }) => ({ owner: ownerText(owner), paths: fieldPaths(fields) }))
    .sort((a, b) => (a.owner < b.owner ? -1 : 1));
  const causes = found.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  const [first] = causes;
  const message =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${first?.message}: ${first?.field}`
      : `Apply failed with ${causes.length} conflicts: ${found
          .flatMap(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)])
          .join('\n')}`;
  return apiStatusError({ code: 409, reason: 'Conflict', message, causes });
}

function ownerText({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = JSON.stringify(manager) + (subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
