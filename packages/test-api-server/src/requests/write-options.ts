import { utf8Length } from '@nodeagent/api/helpers';
import type { DeletionOptions } from '../operations/delete.js';
import { invalid } from '../status.js';

interface OptionProblem {
  field: string;
  problem: string;
}

/** Maximum size of the name of a field manager in bytes. */
const maxFieldManagerBytes = 128;

/**
 * Checks the options of a creation, an update or a patch: Kubernetes API reference, "CreateOptions", "PatchOptions". Throws 422.
 * `optionsKind`: such as `CreateOptions`; `isApply`: of a server-side apply.
 */
export function checkWriteOptions(query: URLSearchParams, optionsKind: string, isApply: boolean): void {
  const force = optionsKind === 'PatchOptions' && !isApply && query.has('force');
  refuse(optionsKind, [
    ...(force ? [{ field: 'force', problem: 'Forbidden: may not be specified for non-apply patch' }] : []),
    ...managerProblems(query.get('fieldManager') ?? '', isApply),
    ...dryRunProblems(query.getAll('dryRun')),
  ]);
}

/** Checks the options of a deletion: Kubernetes API reference, "DeleteOptions". Throws 422. `dryRun`: that of the query and of the body. */
export function checkDeletionOptions({ propagationPolicy, orphanDependents }: DeletionOptions, dryRun: readonly unknown[]): void {
  const problems: OptionProblem[] = [];
  const invalidPolicy = (problem: string) => void problems.push({ field: 'propagationPolicy', problem });
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    invalidPolicy(`Invalid value: ${JSON.stringify(propagationPolicy)}: orphanDependents and deletionPropagation cannot be both set`);
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    const supported = [...policies, 'nil'].map((each) => JSON.stringify(each)).join(', ');
    invalidPolicy(`Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: ${supported}`);
  }
  refuse('DeleteOptions', [...problems, ...dryRunProblems(dryRun)]);
}

const policies: readonly unknown[] = ['Foreground', 'Background', 'Orphan'];

function managerProblems(manager: string, isApply: boolean): OptionProblem[] {
  const field = 'fieldManager';
  if (isApply && manager === '') return [{ field, problem: 'Required value: is required for apply patch' }];
  if (utf8Length(manager) > maxFieldManagerBytes) {
    return [{ field, problem: `Too long: may not be more than ${maxFieldManagerBytes} bytes` }];
  }
  const hidden = [...manager].findIndex((character) => /[\p{C}\p{Z}]/u.test(character) && character !== ' ');
  if (hidden < 0) return [];
  const code = [...manager][hidden]?.codePointAt(0) ?? 0;
  const shown = JSON.stringify(manager).replace(/\\u00([0-9a-f]{2})/g, '\\x$1');
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return [{ field, problem: `Invalid value: ${shown}: invalid character ${name} (at position ${hidden})` }];
}

function dryRunProblems(dryRun: readonly unknown[]): OptionProblem[] {
  if (dryRun.every((each) => each === 'All')) return [];
  return [{ field: 'dryRun', problem: `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"` }];
}

function refuse(kind: string, problems: readonly OptionProblem[]): void {
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', kind, name: '' }, problems);
}
