import { invalid } from '../status.js';

interface OptionProblem {
  field: string;
  problem: string;
}

const forbidden = (field: string, why: string): OptionProblem => ({ field, problem: `Forbidden: ${why}` });

function unsupportedMatch(value: string, supported: readonly string[]): OptionProblem[] {
  if (supported.includes(value)) return [];
  const choice = supported.map((each) => JSON.stringify(each)).join(', ');
  return [{ field: 'resourceVersionMatch', problem: `Unsupported value: ${JSON.stringify(value)}: supported values: ${choice}` }];
}

/**
 * Checks the combination of the options of a list or a watch: Kubernetes documentation, "API Concepts: Resource versions", "Streaming lists".
 * Throws 422.
 */
export function checkListOptions(query: URLSearchParams, verb: 'list' | 'watch'): void {
  const problems = verb === 'watch' ? watchProblems(query) : listProblems(query);
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, problems);
}

function listProblems(query: URLSearchParams): OptionProblem[] {
  const match = query.get('resourceVersionMatch');
  const problems = query.has('sendInitialEvents') ? [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')] : [];
  if (!match) return problems;
  const version = query.get('resourceVersion') ?? '';
  if (query.get('continue')) {
    problems.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (version === '') {
    problems.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  }
  problems.push(...unsupportedMatch(match, ['Exact', 'NotOlderThan']));
  if (match === 'Exact' && version === '0') {
    problems.push(forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return problems;
}

function watchProblems(query: URLSearchParams): OptionProblem[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const streams = query.has('sendInitialEvents');
  if (streams && match !== 'NotOlderThan') {
    return [forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')];
  }
  if (!match) return [];
  return [
    ...(streams
      ? []
      : [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')]),
    ...unsupportedMatch(match, ['NotOlderThan']),
    ...(query.get('continue') ? [forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided')] : []),
  ];
}
