import { type CSINode, type CSINodeDriver, type Node, NodeAgentError } from '@nodeagent/api';
import { csiErrorCodes } from './errors.js';

const nodeIdAnnotation = 'csi.volume.kubernetes.io/nodeid';
const largestCount = 2_147_483_647n;

/** A driver's response to NodeGetInfo. */
export interface CsiNodeInfo {
  nodeId: string;
  /** Maximum number of volumes on the node; 0 for no limit. */
  maxVolumesPerNode: bigint;
  topology: Readonly<Record<string, string>>;
}

/** The Node with the driver's node ID in its annotation and the driver's topology in its labels; undefined if unchanged. Throws if a label has another value. */
export function addDriverToNode(node: Node, driver: string, { nodeId, topology }: CsiNodeInfo): Node | undefined {
  const labels = node.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(topology)) {
    if (labels[key] !== undefined && labels[key] !== value) {
      throw invalid(
        `detected topology value collision: driver reported ${quote(key)}:${quote(value)} but existing label is ${quote(key)}:${quote(labels[key])}`,
      );
    }
  }
  const nodeIds = readNodeIds(node);
  if (nodeIds[driver] === nodeId && Object.entries(topology).every(([key, value]) => labels[key] === value)) return undefined;
  const annotations = { ...node.metadata?.annotations, [nodeIdAnnotation]: formatNodeIds({ ...nodeIds, [driver]: nodeId }) };
  return { ...node, metadata: { ...node.metadata, annotations, labels: { ...labels, ...topology } } };
}

/** The Node without the driver's node ID; labels stay. Undefined if unchanged. */
export function removeDriverFromNode(node: Node, driver: string): Node | undefined {
  const { [driver]: removed, ...nodeIds } = readNodeIds(node);
  if (removed === undefined) return undefined;
  const { [nodeIdAnnotation]: _, ...annotations } = node.metadata?.annotations ?? {};
  const remaining: Record<string, string> = Object.keys(nodeIds).length > 0 ? { [nodeIdAnnotation]: formatNodeIds(nodeIds) } : {};
  return { ...node, metadata: { ...node.metadata, annotations: { ...annotations, ...remaining } } };
}

function readNodeIds(node: Node): Record<string, string> {
  const text = node.metadata?.annotations?.[nodeIdAnnotation];
  if (!text) return {};
  try {
    return (JSON.parse(text) as Record<string, string> | null) ?? {};
  } catch (cause) {
    throw invalid(`failed to parse node's "${nodeIdAnnotation}" annotation: ${quote(text)}`, cause);
  }
}

const formatNodeIds = (nodeIds: Record<string, string>) =>
  JSON.stringify(Object.fromEntries(Object.entries(nodeIds).sort(([a], [b]) => (a < b ? -1 : 1))));

/** A new CSINode for the Node. */
export const newCsiNode = (node: Node): CSINode => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: {
    name: node.metadata?.name ?? '',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node.metadata?.name ?? '', uid: node.metadata?.uid ?? '' }],
  },
  spec: { drivers: [] },
});

/** Whether the CSINode belongs to a previous Node of the same name. */
export function isCsiNodeOfAnother(csiNode: CSINode, node: Node): boolean {
  const owners = csiNode.metadata?.ownerReferences ?? [];
  return owners.some(({ kind, name, uid }) => kind === 'Node' && name === node.metadata?.name && uid !== node.metadata?.uid);
}

/** The CSINode with the driver's current info at the end of its list; undefined if unchanged. */
export function addDriverToCsiNode(csiNode: CSINode, driver: string, info: CsiNodeInfo): CSINode | undefined {
  const entry = driverEntry(driver, info);
  const { drivers = [] } = csiNode.spec;
  const existing = drivers.find(({ name }) => name === driver);
  if (existing !== undefined && isSame(existing, entry)) return undefined;
  const others = drivers.filter(({ name }) => name !== driver);
  return { ...csiNode, spec: { ...csiNode.spec, drivers: [...others, entry] } };
}

function driverEntry(name: string, { nodeId, maxVolumesPerNode, topology }: CsiNodeInfo): CSINodeDriver {
  const count = maxVolumesPerNode > largestCount ? largestCount : maxVolumesPerNode;
  return {
    name,
    nodeID: nodeId,
    topologyKeys: Object.keys(topology).sort(),
    ...(count > 0n ? { allocatable: { count: Number(count) } } : {}),
  };
}

function isSame(a: CSINodeDriver, b: CSINodeDriver): boolean {
  const keys = ({ topologyKeys = [] }: CSINodeDriver) => [...new Set(topologyKeys)].sort().join();
  return a.nodeID === b.nodeID && keys(a) === keys(b) && a.allocatable?.count === b.allocatable?.count;
}

/** The CSINode without the driver; undefined if unchanged. */
export function removeDriverFromCsiNode(csiNode: CSINode, driver: string): CSINode | undefined {
  const { drivers = [] } = csiNode.spec;
  const others = drivers.filter(({ name }) => name !== driver);
  return others.length === drivers.length ? undefined : { ...csiNode, spec: { ...csiNode.spec, drivers: others } };
}

const quote = (text: string) => JSON.stringify(text);
const invalid = (message: string, cause?: unknown) =>
  new NodeAgentError(csiErrorCodes.operationFailed, message, { retryable: true, cause });
