import type { ConfigMap, LabelSelector, Pod, ResourceList, Secret, TokenRequest } from '@nodeagent/api';

/** Getters of the content of volumes. A volume that needs a missing getter fails. */
export interface PayloadSources {
  /** Whether an API server, or a substitute, is configured; projected volumes need one. Default true. */
  configured?: boolean;
  /** Resolves to undefined if the object does not exist; rejects on any other failure. Default: none. */
  getConfigMap?(namespace: string, name: string, signal: AbortSignal): Promise<ConfigMap | undefined>;
  /** As {@link PayloadSources.getConfigMap}. Default: none. */
  getSecret?(namespace: string, name: string, signal: AbortSignal): Promise<Secret | undefined>;
  /** The node's allocatable resources, the default of unset limits. May throw while they are unknown. Default: none, so that these are 0. */
  nodeAllocatable?(): ResourceList;
  /** Gets a service account token, such as from a token manager. Default: none. */
  getServiceAccountToken?(namespace: string, name: string, spec: TokenRequest['spec'], signal: AbortSignal): Promise<string>;
  /** Gets trust bundles as PEM (KEP-3257, beta and off by default). `optional` allows a missing bundle. */
  trustBundles?: {
    byName(name: string, optional: boolean, signal: AbortSignal): Promise<string>;
    bySigner(signerName: string, selector: LabelSelector | undefined, optional: boolean, signal: AbortSignal): Promise<string>;
  };
  /** Gets the key and certificate chain, both PEM, of a source of a projected volume (KEP-4317, beta and off by default). */
  getPodCertificate?(pod: Pod, volumeName: string, sourceIndex: number, signal: AbortSignal): Promise<{ key: string; chain: string }>;
}
