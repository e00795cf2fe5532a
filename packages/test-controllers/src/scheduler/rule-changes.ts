import type { Node } from '@nodeagent/api';

/** What the rules read of a node, besides its images. */
const rulesOf = ({ metadata, spec, status }: Node): string =>
  JSON.stringify([
    metadata?.labels,
    spec?.taints,
    spec?.unschedulable,
    status?.allocatable,
    status?.conditions?.map(({ type, status: value }) => [type, value]),
  ]);

/** Whether a change of a node may make pods schedulable, or only changes its scores; undefined for a heartbeat. */
export function nodeChangesRules(before: Node, after: Node): 'nodeChanged' | 'images' | undefined {
  if (rulesOf(before) !== rulesOf(after)) return 'nodeChanged';
  return JSON.stringify(before.status?.images) === JSON.stringify(after.status?.images) ? undefined : 'images';
}
