import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { watchFiles } from './test-crashing-files.js';
import type { Kind } from './test-kinds.js';
import { createTestNode, stateOf } from './test-node.js';
import { startVolumeAgent } from './test-volume-agent.js';

/** The node of a test, its pods, and its consecutive agents. */
function createScene(kind: Kind) {
  const node = createTestNode();
  const { root } = node;
  node.driver.stages = kind.stages ?? true;
  mkdirSync(join(root, 'disk'));
  writeFileSync(join(root, 'disk', 'data'), 'precious');
  const ofPayload = /~(configmap|secret|downward-api|projected)\//;
  const files = watchFiles(node.mounter, (path) => ofPayload.test(path));
  const close = () => {
    files.restore();
    rmSync(root, { recursive: true, force: true });
  };

  const volumeOf = (uid: string) => (kind.shared ? 'pv-shared' : `pv-${uid}`);
  const isBlock = kind.persistent?.(node, '')?.volumeMode === 'Block';
  function pod(uid: string): Pod {
    const source = kind.volume?.(node) ?? { persistentVolumeClaim: { claimName: volumeOf(uid) } };
    const use = isBlock
      ? { volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }
      : { volumeMounts: [{ name: 'data', mountPath: '/data', ...(kind.subPath !== undefined && { subPath: kind.subPath }) }] };
    return {
      metadata: { name: uid, namespace: 'ns', uid },
      spec: { volumes: [{ name: 'data', ...source }], containers: [{ name: 'main', image: 'i', ...use }], securityContext: { fsGroup: 7 } },
    };
  }

  const startAgent = (pods: Pod[]) => startVolumeAgent(node, kind, files.quiet, pods);
  return { node, pod, startAgent, violations: files.violations, close };
}

export type Scene = ReturnType<typeof createScene>;

/** The node's state without and with the pod. */
export interface States {
  without: string[];
  with: string[];
}

/** Runs on a separate node. */
export async function withScene<T>(kind: Kind, run: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = createScene(kind);
  try {
    return await run(scene);
  } finally {
    scene.close();
  }
}

/** The states without faults. */
export async function statesOf({ node, pod, startAgent }: Pick<Scene, 'node' | 'pod' | 'startAgent'>): Promise<States> {
  const neighbour = await startAgent([pod('neighbour')]);
  await neighbour.mounted();
  await neighbour.stop();
  const without = await stateOf(node);
  const both = await startAgent([pod('neighbour'), pod('web')]);
  await both.mounted();
  await both.stop();
  return { without, with: await stateOf(node) };
}
