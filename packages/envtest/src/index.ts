/**
 * A drop-in for the programs that envtest starts: stand-ins of `kube-apiserver`, `etcd` and `kubectl` for test frameworks in any language.
 *
 * @packageDocumentation
 */
export { type AssetOptions, writeAssets } from './assets/write-assets.js';
export { envtestErrorCodes } from './errors.js';
