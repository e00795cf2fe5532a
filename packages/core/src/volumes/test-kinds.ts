import { join } from 'node:path';
import type { PersistentVolume, Volume } from '@nodeagent/api';
import type { TestNode } from './test-node.js';

/** A kind of volume for two pods: one that is added or removed when the agent is killed, and a neighbour that stays. */
export interface Kind {
  volume?(node: TestNode): Partial<Volume>;
  /** A persistent volume instead of an inline volume; without `shared` a separate one for each pod. */
  persistent?(node: TestNode, name: string): PersistentVolume['spec'];
  shared?: boolean;
  stages?: boolean;
  subPath?: string;
}

const csiVolume = (_: TestNode, name: string) => ({ csi: { driver: 'd', volumeHandle: `handle-of-${name}` } });

export const kinds: Record<string, Kind> = {
  emptyDir: { volume: () => ({ emptyDir: {} }) },
  'emptyDir with a subPath': { volume: () => ({ emptyDir: {} }), subPath: 'a/b' },
  'emptyDir in memory': { volume: () => ({ emptyDir: { medium: 'Memory' } }) },
  configMap: { volume: () => ({ configMap: { name: 'settings', defaultMode: 0o644 } }) },
  secret: { volume: () => ({ secret: { secretName: 'login', defaultMode: 0o400 } }) },
  downwardAPI: { volume: () => ({ downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } }) },
  projected: {
    volume: () => ({ projected: { sources: [{ secret: { name: 'login' } }, { serviceAccountToken: { path: 'deep/token' } }] } }),
  },
  hostPath: { volume: ({ root }) => ({ hostPath: { path: join(root, 'host'), type: 'DirectoryOrCreate' } }) },
  'local folder': { persistent: ({ root }) => ({ local: { path: join(root, 'disk') } }) },
  nfs: { persistent: (_, name) => ({ nfs: { server: 'files', path: `/${name}` } }) },
  iscsi: { persistent: (_, name) => ({ iscsi: { targetPortal: '10.0.0.1', iqn: `iqn.2026-01.com.example:${name}`, lun: 3 } }) },
  'fc, shared': { persistent: () => ({ fc: { targetWWNs: ['500a0982991b8dc5'], lun: 2 } }), shared: true },
  'CSI that stages': { persistent: csiVolume },
  'CSI that stages, shared': { persistent: csiVolume, shared: true },
  'CSI that does not stage': { persistent: csiVolume, stages: false },
  'CSI of the pod': { volume: () => ({ csi: { driver: 'd' } }) },
  'CSI raw device that stages': { persistent: (node, name) => ({ ...csiVolume(node, name), volumeMode: 'Block' }) },
  'CSI raw device that stages, shared': { persistent: (node, name) => ({ ...csiVolume(node, name), volumeMode: 'Block' }), shared: true },
  'CSI raw device that does not stage': { persistent: (node, name) => ({ ...csiVolume(node, name), volumeMode: 'Block' }), stages: false },
};
