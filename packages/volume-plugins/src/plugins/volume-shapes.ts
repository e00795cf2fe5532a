import type { VolumeMounter, VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { specName, type VolumePaths } from '@nodeagent/api/helpers';
import { type BoundVolumeFacts, boundVolumes } from './bound-volumes.js';
import { type NodeVolumeKind, servesKind, sourceOf } from './volume-kind.js';

/** What volumes of a kind are, on a machine as in memory: their names, paths and attributes. */
export interface VolumeShape {
  /** The members of the plugin that do nothing on the node. */
  identity: Pick<VolumePlugin, 'name' | 'canSupport' | 'volumeName' | 'requiresRemount' | 'supportsMountOption'>;
  attributes(spec: VolumeSpec): VolumeMounter['attributes'];
  /** The volume's path for the pod; empty if it has none. */
  mountPath(spec: VolumeSpec, podUid: string): string;
  /** The path that is torn down; empty if there is none. */
  unmountPath(specName: string, podUid: string): string;
}

/** The shapes by volume source: a source without a shape does not compile. */
export function volumeShapes(paths: VolumePaths): Record<NodeVolumeKind, VolumeShape> {
  const inPodFolder = (kind: NodeVolumeKind, shape: Pick<VolumeShape, 'attributes'> & Partial<VolumeShape['identity']>): VolumeShape => {
    const { attributes, ...identity } = shape;
    const served = servesKind(kind);
    const pathOf = (name: string, uid: string) => paths.podVolume(uid, served.name, name);
    return {
      identity: { ...served, volumeName: specName, requiresRemount: () => false, supportsMountOption: false, ...identity },
      attributes,
      mountPath: (spec, uid) => pathOf(specName(spec), uid),
      unmountPath: pathOf,
    };
  };
  const payload = (kind: NodeVolumeKind) => inPodFolder(kind, { attributes: readOnlyContent, requiresRemount: () => true });
  const bound = (kind: keyof typeof boundVolumes) => {
    const { volumeName, ...facts } = boundVolumes[kind];
    return inPodFolder(kind, { attributes: (spec) => boundAttributes(facts, spec), volumeName, supportsMountOption: true });
  };
  return {
    emptyDir: inPodFolder('emptyDir', { attributes: () => ({ readOnly: false, managed: true, seLinuxRelabel: true }) }),
    hostPath: {
      ...inPodFolder('hostPath', {
        attributes: ({ readOnly }) => ({ readOnly, managed: false, seLinuxRelabel: false }),
        volumeName: hostPathOf,
      }),
      mountPath: hostPathOf,
      unmountPath: () => '',
    },
    image: { ...inPodFolder('image', { attributes: readOnlyContent }), mountPath: () => '', unmountPath: () => '' },
    configMap: payload('configMap'),
    secret: payload('secret'),
    downwardAPI: payload('downwardAPI'),
    projected: payload('projected'),
    local: bound('local'),
    nfs: bound('nfs'),
    iscsi: bound('iscsi'),
    fc: bound('fc'),
  };
}

const readOnlyContent = () => ({ readOnly: true, managed: true, seLinuxRelabel: true });

const hostPathOf = (spec: VolumeSpec) => sourceOf(spec, 'hostPath')?.path ?? '';

function boundAttributes({ isReadOnly, appliesFsGroup }: Omit<BoundVolumeFacts, 'volumeName'>, spec: VolumeSpec) {
  const readOnly = isReadOnly(spec);
  return { readOnly, managed: appliesFsGroup && !readOnly, seLinuxRelabel: appliesFsGroup };
}
