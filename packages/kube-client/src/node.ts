/**
 * The Kubernetes API client on this machine: connections by node:https, kubeconfig and credential files, and credential plugins.
 *
 * @packageDocumentation
 */
export { inClusterConfig } from './config/in-cluster.js';
export { type LoadKubeconfigOptions, loadKubeconfig } from './config/load-kubeconfig.js';
export { type ConnectKubeClientOptions, connectKubeClient } from './connect.js';
export { createNodeTransport, type NodeTransportOptions } from './transport/node-transport.js';
