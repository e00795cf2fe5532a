/** Name of a policy: `topologyManagerPolicy` of KubeletConfiguration. */
export type TopologyManagerPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

/** What a policy makes of hints. */
export interface PolicyRules {
  /** Whether hints are merged. */
  usesHints: boolean;
  /** Whether only preferred hints with one NUMA node, or without preference, count. */
  singleNumaNode: boolean;
  /** Whether a pod without a preferred hint is admitted. */
  admitsUnaligned: boolean;
}

/** The policies: Kubernetes documentation, "Control Topology Management Policies on a node". */
export const policyRules: Readonly<Record<TopologyManagerPolicy, PolicyRules>> = {
  none: { usesHints: false, singleNumaNode: false, admitsUnaligned: true },
  'best-effort': { usesHints: true, singleNumaNode: false, admitsUnaligned: true },
  restricted: { usesHints: true, singleNumaNode: false, admitsUnaligned: false },
  'single-numa-node': { usesHints: true, singleNumaNode: true, admitsUnaligned: false },
};
