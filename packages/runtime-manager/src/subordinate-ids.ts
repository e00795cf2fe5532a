import { NodeAgentError } from '@nodeagent/api';
import { errorCodes } from './errors.js';
import type { IdBlock } from './id-ranges.js';

/**
 * The ids that the user `kubelet` has in the text of /etc/subuid and /etc/subgid, for user namespaces of pods; undefined if it has none.
 * Throws `UserNamespaceError` if there are several blocks, or others of users than of groups: a pod's ids must be the same for both.
 * Kubernetes documentation, "Use a User Namespace With a Pod: set up a node".
 */
export function subordinateIds(subuid: string, subgid: string): IdBlock | undefined {
  const users = blocksOf(subuid);
  const groups = blocksOf(subgid);
  if (users.length === 0 && groups.length === 0) return undefined;
  const [block] = users;
  const [group] = groups;
  if (users.length === 1 && groups.length === 1 && block && block.first === group?.first && block.count === group.count) return block;
  throw new NodeAgentError(
    errorCodes.userNamespace,
    'the user kubelet must have one and the same block of ids in /etc/subuid and /etc/subgid',
    {
      hint: 'Give it one line `kubelet:<first>:<count>` in both files, or none.',
    },
  );
}

function blocksOf(text: string): IdBlock[] {
  return text.split('\n').flatMap((line) => {
    const [, first, count] = /^kubelet:(\d+):(\d+)\s*$/.exec(line) ?? [];
    return first === undefined ? [] : [{ first: Number(first), count: Number(count) }];
  });
}
