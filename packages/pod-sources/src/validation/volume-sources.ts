import { type ISCSIVolumeSource, isObject, type Volume } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkNoBacksteps, checkSubdomain } from './names.js';
import { checkProjections } from './projections.js';
import { checkAmount } from './resources.js';
import { checkFiles, checkItems, checkMode } from './volume-items.js';

/** Texts that a source cannot do without. */
const required: Readonly<Record<string, readonly string[]>> = {
  hostPath: ['path'],
  secret: ['secretName'],
  configMap: ['name'],
  persistentVolumeClaim: ['claimName'],
  csi: ['driver'],
  nfs: ['server', 'path'],
  iscsi: ['targetPortal', 'iqn'],
  gitRepo: ['repository'],
  glusterfs: ['endpoints', 'path'],
  rbd: ['monitors', 'image'],
  flexVolume: ['driver'],
  cinder: ['volumeID'],
  cephfs: ['monitors'],
  azureFile: ['secretName', 'shareName'],
  azureDisk: ['diskName', 'diskURI'],
  vsphereVolume: ['volumePath'],
  quobyte: ['registry', 'volume'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  storageos: ['volumeName'],
  awsElasticBlockStore: ['volumeID'],
  gcePersistentDisk: ['pdName'],
};

const hostPathTypes = ['', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'];

/** What a volume's source needs, and the rules of the sources that nodes serve. Source: Kubernetes API reference, "Volume". */
export function checkVolumeSource(field: string, volume: Volume, hasServiceAccount: boolean, problems: FieldProblems): void {
  for (const [kind, source] of Object.entries(volume)) {
    if (!isObject(source)) continue;
    for (const name of required[kind] ?? []) {
      const value = source[name];
      if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
        problems.required(`${field}.${kind}.${name}`);
    }
    if (typeof source.defaultMode === 'number') checkMode(`${field}.${kind}.defaultMode`, source.defaultMode, problems);
  }
  const { hostPath, emptyDir, secret, configMap, downwardAPI, projected, nfs, iscsi, image, csi, ephemeral } = volume;
  if (hostPath) {
    checkNoBacksteps(`${field}.hostPath.path`, hostPath.path ?? '', problems);
    problems.oneOf(`${field}.hostPath.type`, hostPath.type, hostPathTypes);
  }
  if (emptyDir) {
    checkAmount(`${field}.emptyDir.sizeLimit`, emptyDir.sizeLimit, problems);
    if (!/^(|Memory|HugePages(-.+)?)$/.test(emptyDir.medium ?? '')) {
      problems.oneOf(`${field}.emptyDir.medium`, emptyDir.medium, ['', 'Memory', 'HugePages', 'HugePages-<size>']);
    }
  }
  checkItems(`${field}.secret.items`, secret?.items, problems);
  checkItems(`${field}.configMap.items`, configMap?.items, problems);
  checkFiles(`${field}.downwardAPI.items`, downwardAPI?.items, problems);
  if (projected) checkProjections(`${field}.projected.sources`, projected, hasServiceAccount, problems);
  if (nfs?.path && !nfs.path.startsWith('/')) problems.invalid(`${field}.nfs.path`, nfs.path, 'must be an absolute path');
  if (iscsi) checkIscsi(`${field}.iscsi`, iscsi, problems);
  if (image) {
    if (!image.reference) problems.required(`${field}.image.reference`);
    problems.oneOf(`${field}.image.pullPolicy`, image.pullPolicy, ['Always', 'IfNotPresent', 'Never']);
  }
  if (csi?.driver) checkSubdomain(`${field}.csi.driver`, csi.driver.toLowerCase(), problems);
  if (ephemeral && !ephemeral.volumeClaimTemplate) problems.required(`${field}.ephemeral.volumeClaimTemplate`);
}

function checkIscsi(field: string, { iqn, lun }: ISCSIVolumeSource, problems: FieldProblems): void {
  if (iqn && !/^(iqn\.\d{4}-\d{2}\..+|eui\.[0-9A-Fa-f]{16}|naa\.[0-9A-Fa-f]{16,32})$/.test(iqn)) {
    problems.invalid(`${field}.iqn`, iqn, 'must be an iqn., eui. or naa. name');
  }
  if (lun !== undefined && (lun < 0 || lun > 255)) problems.invalid(`${field}.lun`, lun, 'must be between 0 and 255, inclusive');
}
