import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import type { AnyVolumeManager, VolumeManagerSubject } from './subject.js';
import { attachedName, createTestVolumeManager, type TestVolumeNode } from './volume-manager-double.js';

function podWith(uid: string, volumes: readonly string[], claim?: string): Pod {
  const local = volumes.map((name) => ({ name, emptyDir: {} }));
  const all = claim === undefined ? local : [...local, { name: claim, persistentVolumeClaim: { claimName: claim } }];
  const volumeMounts = all.map(({ name }) => ({ name, mountPath: `/${name}` }));
  return { metadata: { name: uid, namespace: 'ns', uid }, spec: { volumes: all, containers: [{ name: 'main', volumeMounts }] } };
}

/** The subject of {@link createTestVolumeManager}, optionally modified by a test. */
export function tinyVolumeSubject(
  change: (manager: Required<AnyVolumeManager>, node: TestVolumeNode) => Partial<AnyVolumeManager> = () => ({}),
): { subject: VolumeManagerSubject } {
  const clock = createVirtualClock();
  const node: TestVolumeNode = { pods: new Map(), ended: new Set(), mounted: new Set(), isFailing: false };
  const create = () => {
    const manager = createTestVolumeManager(node, clock);
    return { ...manager, ...change(manager, node) };
  };
  return {
    subject: {
      manager: create(),
      pod: podWith,
      add: (pod) => node.pods.set(podUid(pod), pod),
      end: (pod) => node.ended.add(podUid(pod)),
      mounted: (uid) => [...node.mounted].filter((key) => key.startsWith(`${uid}/`)).map((key) => key.slice(uid.length + 1)),
      setFailing: (isFailing) => Object.assign(node, { isFailing }),
      beyondLimit: podWith('beyond', [], 'full'),
      restart: create,
      attachable: { pod: podWith('attached', [], 'disk'), volumeName: attachedName },
      grouped: { pod: podWith('grouped', [], 'disk'), extraGroups: [4321] },
      measurable: { pod: podWith('measured', ['data', 'broken', 'cache'], 'disk'), ephemeral: ['data', 'cache'], persistent: ['disk'] },
      advance: clock.advance,
    },
  };
}
