import type { Node, Taint } from '@nodeagent/api';

/** Makes the attach-detach controller attach volumes for this node. */
export const attachDetachAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';
/** Passes configured addresses to an external cloud provider. */
export const providedNodeIPAnnotation = 'alpha.kubernetes.io/provided-node-ip';

const osLabel = 'kubernetes.io/os';
const archLabel = 'kubernetes.io/arch';

const uninitializedTaint: Taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };

/** The metadata and spec of a new Node. */
export interface InitialNodeInput {
  nodeName: string;
  hostname: string;
  /** As Go names them: `linux`, `amd64`. */
  operatingSystem: string;
  architecture: string;
  /** Override the default labels. */
  labels?: Readonly<Record<string, string>>;
  taints?: readonly Taint[];
  providerID?: string;
  /** Adds the taint that a cloud provider removes after it has initialized the node. Default false. */
  externalCloudProvider?: boolean;
  /** Default true. */
  enableControllerAttachDetach?: boolean;
}

/** The Node as it is registered, without status. Kubernetes documentation, "Nodes: Self-registration of Nodes". */
export function initialNode(input: InitialNodeInput): Node {
  const { nodeName, hostname, operatingSystem, architecture, labels, providerID, enableControllerAttachDetach = true } = input;
  const taints = [...(input.taints ?? []), ...(input.externalCloudProvider ? [uninitializedTaint] : [])];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName,
      labels: {
        'kubernetes.io/hostname': hostname,
        [osLabel]: operatingSystem,
        [archLabel]: architecture,
        'beta.kubernetes.io/os': operatingSystem,
        'beta.kubernetes.io/arch': architecture,
        ...labels,
      },
      ...(enableControllerAttachDetach && { annotations: { [attachDetachAnnotation]: 'true' } }),
    },
    spec: { ...(taints.length > 0 && { taints }), ...(providerID && { providerID }) },
  };
}

/** The Node with the labels of its operating system and architecture; the same object if it has them. */
export function withPlatformLabels(
  node: Node,
  { operatingSystem, architecture }: Pick<InitialNodeInput, 'operatingSystem' | 'architecture'>,
): Node {
  const labels = node.metadata?.labels ?? {};
  if (labels[osLabel] === operatingSystem && labels[archLabel] === architecture) return node;
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, [osLabel]: operatingSystem, [archLabel]: architecture } } };
}
