/**
 * CSI volumes on this machine: the volume plugin, the registration of drivers, and the CSINode that reports them to the cluster.
 *
 * @packageDocumentation
 */
export { createCsi } from './csi.js';
