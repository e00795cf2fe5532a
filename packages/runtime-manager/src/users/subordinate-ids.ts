import { NodeAgentError } from '@nodeagent/api';
import { runtimeManagerErrorCodes } from '../errors.js';
import { defaultIdsPerPod, type IdBlock, idBlockProblem } from './id-ranges.js';

/**
 * The ids of the user `kubelet` in the text of /etc/subuid and /etc/subgid, for user namespaces of pods; undefined if it has none.
 * Throws `UserNamespaceError` if there are several blocks, if users and groups differ (a pod uses the same ids for both), if the block
 * overlaps the ids of the node's users, or if it is too small for one pod.
 * Kubernetes documentation, "Use a User Namespace With a Pod: set up a node".
 */
export function subordinateIds(subuid: string, subgid: string): IdBlock | undefined {
  const users = blocksOf(subuid);
  const groups = blocksOf(subgid);
  if (users.length === 0 && groups.length === 0) return undefined;
  const [block] = users;
  const [group] = groups;
  const isOne = users.length === 1 && groups.length === 1 && block?.first === group?.first && block?.count === group?.count;
  if (block === undefined || !isOne)
    throw refused('the user kubelet must have exactly one block of ids, the same in /etc/subuid and /etc/subgid');
  const problem = idBlockProblem(block, defaultIdsPerPod);
  if (problem) throw refused(`the ids of the user kubelet in /etc/subuid and /etc/subgid: ${problem.field} must be ${problem.expected}`);
  return block;
}

function refused(message: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.userNamespace, message, {
    hint: 'Give the user kubelet one line `kubelet:<first>:<count>` in both files, or none.',
  });
}

function blocksOf(text: string): IdBlock[] {
  return text.split('\n').flatMap((line) => {
    const [, first, count] = /^kubelet:(\d+):(\d+)\s*$/.exec(line) ?? [];
    return first === undefined ? [] : [{ first: Number(first), count: Number(count) }];
  });
}
