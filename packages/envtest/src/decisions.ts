/**
 * The decisions of the stand-ins: the flags of kube-apiserver and etcd, and what they ask for.
 *
 * @packageDocumentation
 */
export { readEtcdFlags } from './flags/etcd-flags.js';
export type { GoFlags } from './flags/go-flags.js';
export { readApiServerFlags } from './flags/kube-apiserver-flags.js';
export { type ApiServerSettings, apiServerSettings } from './kube-apiserver/settings.js';
export { readTokenFile } from './kube-apiserver/token-file.js';
