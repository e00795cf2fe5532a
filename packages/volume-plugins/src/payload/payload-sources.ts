import type { ConfigMap, LabelSelector, Pod, ResourceList, Secret, TokenRequest } from '@nodeagent/api';

/** Where the content of volumes comes from beside the pod. Leave out what there is none of: volumes that need it fail with a clear text. */
export interface PayloadSources {
  /** Whether there is an API server at all, or what stands for it; projected volumes need one. Default true. */
  configured?: boolean;
  /** Resolves to undefined if there is no such object; rejects on any other failure. */
  getConfigMap?(namespace: string, name: string, signal: AbortSignal): Promise<ConfigMap | undefined>;
  /** As {@link PayloadSources.getConfigMap}. */
  getSecret?(namespace: string, name: string, signal: AbortSignal): Promise<Secret | undefined>;
  /** What the node's pods may have; stands in for limits that are not set. May throw while it is unknown. */
  nodeAllocatable(): ResourceList;
  /** A token of a service account, as a token manager keeps it. */
  getServiceAccountToken?(namespace: string, name: string, spec: TokenRequest['spec'], signal: AbortSignal): Promise<string>;
  /** PEM of trust bundles (KEP-3257, beta and off by default). `optional` allows none. */
  trustBundles?: {
    byName(name: string, optional: boolean, signal: AbortSignal): Promise<string>;
    bySigner(signerName: string, selector: LabelSelector | undefined, optional: boolean, signal: AbortSignal): Promise<string>;
  };
  /** Key and certificate chain, both PEM, of a source of a projected volume (KEP-4317, beta and off by default). */
  getPodCertificate?(pod: Pod, volumeName: string, sourceIndex: number, signal: AbortSignal): Promise<{ key: string; chain: string }>;
}
