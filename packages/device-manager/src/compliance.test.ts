import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Pod } from '@nodeagent/api';
import { defineSuite, type Fixture, type TopologyHintProviderSubject, topologyHintProviderSuite } from '@nodeagent/compliance';
import { describe, expect, it } from 'vitest';
import { createDeviceManager } from './device-manager.js';
import { createDeviceTestPlugin } from './test-plugin.js';

const resource = 'example.com/gpu';
const numaNodes = [0, 1].map((id) => ({ id, memoryBytes: 2 ** 30, hugePages: [], distances: [10, 20] }));
const amounts = { one: 1, tooMuch: 9, none: 0 };

function containerOf(name: string, requests: keyof typeof amounts): Container {
  return { name, image: 'i', ...(requests !== 'none' && { resources: { limits: { [resource]: String(amounts[requests]) } } }) };
}

/** The device manager with a plugin of four devices on each of two NUMA nodes. */
async function withPlugin(): Promise<Fixture<TopologyHintProviderSubject>> {
  const pluginDir = mkdtempSync(join(tmpdir(), 'devices-'));
  const devices = Array.from({ length: 8 }, (_, index) => ({ id: `gpu${index}`, numaNodes: [index % 2] }));
  const pods: Pod[] = [];
  const manager = createDeviceManager({ pluginDir, topology: { numaNodes }, activePods: () => pods });
  const plugin = createDeviceTestPlugin({ resource, pluginDir, devices });
  await manager.start();
  await plugin.start();
  await plugin.register();
  await expect.poll(() => manager.capacity().capacity[resource]).toBe(devices.length);
  return {
    subject: {
      provider: manager,
      numaNodes: [0, 1],
      resource,
      pod(uid, requests) {
        const containers = [containerOf('a', requests), containerOf('b', requests)];
        const pod: Pod = { metadata: { name: uid, namespace: 'default', uid }, spec: { containers } };
        pods.push(pod);
        return pod;
      },
      assigned(podUID, containerName) {
        const byNode = manager.devices(podUID, containerName)[resource];
        return byNode && { units: Object.values(byNode).flat(), numaNodes: Object.keys(byNode).map(Number).sort() };
      },
    },
    async cleanup() {
      await plugin.stop();
      await manager.stop();
      rmSync(pluginDir, { recursive: true });
    },
  };
}

describe('the device manager keeps the promises of a', () => {
  defineSuite({ describe, it }, topologyHintProviderSuite, withPlugin);
});
