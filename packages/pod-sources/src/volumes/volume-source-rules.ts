import type { DownwardAPIVolumeFile, ISCSIVolumeSource, VolumeSource, VolumeSourceKind } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { resources } from '../manifest/container-schema.js';
import { labelSelector, localReference, objectMeta } from '../manifest/meta-schema.js';
import { defaultPullPolicy } from '../manifest/pull-policy.js';
import { type FieldType, flag, int32, list, quantity, struct, text, textList, textMap } from '../manifest/schema.js';
import { checkNoBacksteps, checkSubdomain } from '../validation/names.js';
import { checkAmount } from '../validation/resources.js';
import { checkProjections } from './check-projections.js';
import { checkFiles, checkItems } from './check-volume-items.js';
import { downwardItems, keyToPaths, projection } from './projection-schema.js';

/** The context of a check of a source. */
interface SourceCheck {
  /** Such as `spec.volumes[0].nfs`. */
  field: string;
  /** Whether the pod names a service account. */
  hasServiceAccount: boolean;
  problems: FieldProblems;
}

/** The API server's validation and defaults for a kind of volume source. Source: Kubernetes API reference, "Volume". */
export interface VolumeSourceRules<Source> {
  /** All fields of the API; the fields of the type `Source` must be among them. */
  fields: Readonly<Record<string, FieldType> & Record<keyof Source & string, FieldType>>;
  /** Fields that must be set and not empty. */
  required?: readonly string[];
  /** Fields with a fixed default. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Fills in the other defaults. */
  applyDefaults?(source: Source): void;
  /** Checks in addition to `fields`, `required` and `defaultMode`. */
  check?(source: Source, check: SourceCheck): void;
}

type VolumeSourceTable = { readonly [Kind in VolumeSourceKind]: VolumeSourceRules<NonNullable<VolumeSource[Kind]>> };

const hostPathTypes = ['', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'];
const dataReference = struct({ apiGroup: text, kind: text, name: text, namespace: text });
const filesDefaults = { defaultMode: 0o644 };

/** The rules of all volume sources: a kind without an entry does not compile. */
export const volumeSourceRules: VolumeSourceTable = {
  hostPath: {
    fields: { path: text, type: text },
    required: ['path'],
    defaults: { type: '' },
    check({ path = '', type }, { field, problems }) {
      checkNoBacksteps(`${field}.path`, path, problems);
      problems.oneOf(`${field}.type`, type, hostPathTypes);
    },
  },
  emptyDir: {
    fields: { medium: text, sizeLimit: quantity },
    check({ medium = '', sizeLimit }, { field, problems }) {
      checkAmount(`${field}.sizeLimit`, sizeLimit, problems);
      if (!/^(|Memory|HugePages(-.+)?)$/.test(medium)) {
        problems.oneOf(`${field}.medium`, medium, ['', 'Memory', 'HugePages', 'HugePages-<size>']);
      }
    },
  },
  configMap: {
    fields: { name: text, items: keyToPaths, defaultMode: int32, optional: flag },
    required: ['name'],
    defaults: filesDefaults,
    check: ({ items }, { field, problems }) => checkItems(`${field}.items`, items, problems),
  },
  secret: {
    fields: { secretName: text, items: keyToPaths, defaultMode: int32, optional: flag },
    required: ['secretName'],
    defaults: filesDefaults,
    check: ({ items }, { field, problems }) => checkItems(`${field}.items`, items, problems),
  },
  downwardAPI: {
    fields: { items: downwardItems, defaultMode: int32 },
    defaults: filesDefaults,
    applyDefaults: ({ items }) => applyFieldVersions(items),
    check: ({ items }, { field, problems }) => checkFiles(`${field}.items`, items, problems),
  },
  projected: {
    fields: { sources: list(projection), defaultMode: int32 },
    defaults: filesDefaults,
    applyDefaults({ sources = [] }) {
      for (const { downwardAPI, serviceAccountToken } of sources) {
        applyFieldVersions(downwardAPI?.items);
        if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
      }
    },
    check: (source, { field, hasServiceAccount, problems }) => checkProjections(`${field}.sources`, source, hasServiceAccount, problems),
  },
  persistentVolumeClaim: { fields: { claimName: text, readOnly: flag }, required: ['claimName'] },
  ephemeral: {
    fields: {
      volumeClaimTemplate: struct({
        metadata: objectMeta,
        spec: struct({
          accessModes: textList,
          selector: labelSelector,
          resources,
          volumeName: text,
          storageClassName: text,
          volumeMode: text,
          volumeAttributesClassName: text,
          dataSource: dataReference,
          dataSourceRef: dataReference,
        }),
      }),
    },
    applyDefaults({ volumeClaimTemplate }) {
      if (volumeClaimTemplate?.spec) volumeClaimTemplate.spec.volumeMode ??= 'Filesystem';
    },
    check({ volumeClaimTemplate }, { field, problems }) {
      if (!volumeClaimTemplate) problems.required(`${field}.volumeClaimTemplate`);
    },
  },
  csi: {
    fields: { driver: text, readOnly: flag, fsType: text, volumeAttributes: textMap, nodePublishSecretRef: localReference },
    required: ['driver'],
    check({ driver }, { field, problems }) {
      if (driver) checkSubdomain(`${field}.driver`, driver.toLowerCase(), problems);
    },
  },
  image: {
    fields: { reference: text, pullPolicy: text },
    applyDefaults(source) {
      source.pullPolicy ||= defaultPullPolicy(source.reference);
    },
    check({ reference, pullPolicy }, { field, problems }) {
      if (!reference) problems.required(`${field}.reference`);
      problems.oneOf(`${field}.pullPolicy`, pullPolicy, ['Always', 'IfNotPresent', 'Never']);
    },
  },
  nfs: {
    fields: { server: text, path: text, readOnly: flag },
    required: ['server', 'path'],
    check({ path }, { field, problems }) {
      if (path && !path.startsWith('/')) problems.invalid(`${field}.path`, path, 'must be an absolute path');
    },
  },
  iscsi: {
    fields: {
      targetPortal: text,
      iqn: text,
      lun: int32,
      iscsiInterface: text,
      fsType: text,
      readOnly: flag,
      portals: textList,
      chapAuthDiscovery: flag,
      chapAuthSession: flag,
      secretRef: localReference,
      initiatorName: text,
    },
    required: ['targetPortal', 'iqn'],
    defaults: { iscsiInterface: 'default' },
    check: checkIscsi,
  },
  fc: { fields: { targetWWNs: textList, lun: int32, fsType: text, readOnly: flag, wwids: textList } },
  gitRepo: { fields: { repository: text, revision: text, directory: text }, required: ['repository'] },
  glusterfs: { fields: { endpoints: text, path: text, readOnly: flag }, required: ['endpoints', 'path'] },
  rbd: {
    fields: {
      monitors: textList,
      image: text,
      fsType: text,
      pool: text,
      user: text,
      keyring: text,
      secretRef: localReference,
      readOnly: flag,
    },
    required: ['monitors', 'image'],
    defaults: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  },
  flexVolume: { fields: { driver: text, fsType: text, secretRef: localReference, readOnly: flag, options: textMap }, required: ['driver'] },
  cinder: { fields: { volumeID: text, fsType: text, readOnly: flag, secretRef: localReference }, required: ['volumeID'] },
  cephfs: {
    fields: { monitors: textList, path: text, user: text, secretFile: text, secretRef: localReference, readOnly: flag },
    required: ['monitors'],
  },
  flocker: { fields: { datasetName: text, datasetUUID: text } },
  azureFile: { fields: { secretName: text, shareName: text, readOnly: flag }, required: ['secretName', 'shareName'] },
  azureDisk: {
    fields: { diskName: text, diskURI: text, cachingMode: text, fsType: text, readOnly: flag, kind: text },
    required: ['diskName', 'diskURI'],
    defaults: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  },
  vsphereVolume: {
    fields: { volumePath: text, fsType: text, storagePolicyName: text, storagePolicyID: text },
    required: ['volumePath'],
  },
  quobyte: {
    fields: { registry: text, volume: text, readOnly: flag, user: text, group: text, tenant: text },
    required: ['registry', 'volume'],
  },
  photonPersistentDisk: { fields: { pdID: text, fsType: text }, required: ['pdID'] },
  portworxVolume: { fields: { volumeID: text, fsType: text, readOnly: flag }, required: ['volumeID'] },
  scaleIO: {
    fields: {
      gateway: text,
      system: text,
      secretRef: localReference,
      sslEnabled: flag,
      protectionDomain: text,
      storagePool: text,
      storageMode: text,
      volumeName: text,
      fsType: text,
      readOnly: flag,
    },
    required: ['gateway', 'system', 'volumeName'],
    defaults: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
  },
  storageos: {
    fields: { volumeName: text, volumeNamespace: text, fsType: text, readOnly: flag, secretRef: localReference },
    required: ['volumeName'],
  },
  awsElasticBlockStore: { fields: { volumeID: text, fsType: text, partition: int32, readOnly: flag }, required: ['volumeID'] },
  gcePersistentDisk: { fields: { pdName: text, fsType: text, partition: int32, readOnly: flag }, required: ['pdName'] },
};

/** The rules of the kind; undefined for an unknown kind. */
export function rulesOf(kind: string): VolumeSourceRules<object> | undefined {
  return Object.hasOwn(volumeSourceRules, kind) ? (volumeSourceRules[kind as VolumeSourceKind] as VolumeSourceRules<object>) : undefined;
}

function applyFieldVersions(items: DownwardAPIVolumeFile[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1';
}

function checkIscsi({ iqn, lun }: ISCSIVolumeSource, { field, problems }: SourceCheck): void {
  if (iqn && !/^(iqn\.\d{4}-\d{2}\..+|eui\.[0-9A-Fa-f]{16}|naa\.[0-9A-Fa-f]{16,32})$/.test(iqn)) {
    problems.invalid(`${field}.iqn`, iqn, 'must be an iqn., eui. or naa. name');
  }
  if (lun !== undefined && (lun < 0 || lun > 255)) problems.invalid(`${field}.lun`, lun, 'must be between 0 and 255, inclusive');
}
