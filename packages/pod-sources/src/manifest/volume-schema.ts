import { fieldSelector, resourceFieldSelector, resources } from './container-schema.js';
import { labelSelector, localReference, objectMeta } from './meta-schema.js';
import { flag, int32, int64, list, quantity, struct, text, textList, textMap } from './schema.js';

const keyToPaths = list(struct({ key: text, path: text, mode: int32 }));
const downwardItems = list(struct({ path: text, fieldRef: fieldSelector, resourceFieldRef: resourceFieldSelector, mode: int32 }));

const projection = struct({
  secret: struct({ name: text, items: keyToPaths, optional: flag }),
  configMap: struct({ name: text, items: keyToPaths, optional: flag }),
  downwardAPI: struct({ items: downwardItems }),
  serviceAccountToken: struct({ audience: text, expirationSeconds: int64, path: text }),
  clusterTrustBundle: struct({ name: text, signerName: text, labelSelector, optional: flag, path: text }),
  podCertificate: struct({
    signerName: text,
    keyType: text,
    maxExpirationSeconds: int32,
    credentialBundlePath: text,
    keyPath: text,
    certificateChainPath: text,
    userAnnotations: textMap,
  }),
});

const dataReference = struct({ apiGroup: text, kind: text, name: text, namespace: text });

/** Every volume source of the API, those that no node mounts any more included: they are refused by name, not as unknown fields. */
export const volume = struct({
  name: text,
  hostPath: struct({ path: text, type: text }),
  emptyDir: struct({ medium: text, sizeLimit: quantity }),
  configMap: struct({ name: text, items: keyToPaths, defaultMode: int32, optional: flag }),
  secret: struct({ secretName: text, items: keyToPaths, defaultMode: int32, optional: flag }),
  downwardAPI: struct({ items: downwardItems, defaultMode: int32 }),
  projected: struct({ sources: list(projection), defaultMode: int32 }),
  persistentVolumeClaim: struct({ claimName: text, readOnly: flag }),
  ephemeral: struct({
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
  }),
  csi: struct({ driver: text, readOnly: flag, fsType: text, volumeAttributes: textMap, nodePublishSecretRef: localReference }),
  image: struct({ reference: text, pullPolicy: text }),
  nfs: struct({ server: text, path: text, readOnly: flag }),
  iscsi: struct({
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
  }),
  fc: struct({ targetWWNs: textList, lun: int32, fsType: text, readOnly: flag, wwids: textList }),
  gitRepo: struct({ repository: text, revision: text, directory: text }),
  glusterfs: struct({ endpoints: text, path: text, readOnly: flag }),
  rbd: struct({
    monitors: textList,
    image: text,
    fsType: text,
    pool: text,
    user: text,
    keyring: text,
    secretRef: localReference,
    readOnly: flag,
  }),
  flexVolume: struct({ driver: text, fsType: text, secretRef: localReference, readOnly: flag, options: textMap }),
  cinder: struct({ volumeID: text, fsType: text, readOnly: flag, secretRef: localReference }),
  cephfs: struct({ monitors: textList, path: text, user: text, secretFile: text, secretRef: localReference, readOnly: flag }),
  flocker: struct({ datasetName: text, datasetUUID: text }),
  azureFile: struct({ secretName: text, shareName: text, readOnly: flag }),
  azureDisk: struct({ diskName: text, diskURI: text, cachingMode: text, fsType: text, readOnly: flag, kind: text }),
  vsphereVolume: struct({ volumePath: text, fsType: text, storagePolicyName: text, storagePolicyID: text }),
  quobyte: struct({ registry: text, volume: text, readOnly: flag, user: text, group: text, tenant: text }),
  photonPersistentDisk: struct({ pdID: text, fsType: text }),
  portworxVolume: struct({ volumeID: text, fsType: text, readOnly: flag }),
  scaleIO: struct({
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
  }),
  storageos: struct({ volumeName: text, volumeNamespace: text, fsType: text, readOnly: flag, secretRef: localReference }),
  awsElasticBlockStore: struct({ volumeID: text, fsType: text, partition: int32, readOnly: flag }),
  gcePersistentDisk: struct({ pdName: text, fsType: text, partition: int32, readOnly: flag }),
});
