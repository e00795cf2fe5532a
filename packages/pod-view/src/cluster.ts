/**
 * A cluster on one screen: its nodes, their pods and workloads in short, and a pod in detail, as plain data for a page or a terminal.
 *
 * @packageDocumentation
 */
export { type ChangedPods, changedPods } from './cluster/changed-pods.js';
export { type ClusterVerdict, clusterVerdict } from './cluster/cluster-verdict.js';
export type { ClusterLevel } from './cluster/level.js';
export { type ListedNode, type NodeModel, nodeModel } from './cluster/node-model.js';
export { type PodDetailsModel, type PodDetailsOptions, podDetails } from './cluster/pod-details.js';
export { createPodModels, type PodModel, podModel } from './cluster/pod-model.js';
export { type Workload, type WorkloadModel, workloadModel } from './cluster/workload-model.js';
