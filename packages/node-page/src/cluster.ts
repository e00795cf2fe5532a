/**
 * A web page of a simulated cluster: its nodes with their pods, a pod in detail, and a live timeline of problems.
 * @packageDocumentation
 */
export { type ClusterPage, createClusterPage } from './cluster/cluster-page.js';
export type { ClusterPageChange, ClusterPageOptions, ClusterPageSettings, ClusterPageSource } from './cluster/options.js';
