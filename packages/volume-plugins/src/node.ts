/**
 * The kubelet's in-tree volume plugins on this machine: emptyDir, hostPath, configMap, secret, downwardAPI, projected, image, local, nfs, iscsi
 * and fc; for a volume manager, or standalone.
 *
 * @packageDocumentation
 */
export { type AtomicWriteOptions, writeAtomically } from './atomic-writer/atomic-writer.js';
export { nodeWriterFiles, type WriterFiles } from './atomic-writer/writer-files.js';
export { createVolumePlugins } from './plugins/create-plugins.js';
export { createPodVolumes } from './pod-volumes.js';
