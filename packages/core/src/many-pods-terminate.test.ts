import { NodeAgentError } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestAgent } from './test-agent.js';

it('removes each container once, without warnings, when 110 pods terminate at once', async () => {
  const [clock, files] = [createVirtualClock(), createMemoryFiles()];
  const memory = createMemoryRuntime({ clock, images: 'any', files: { append: (path, text) => void files.writeFile(path, text, 0o644) } });
  memory.script('main', { logs: ['hello'] });
  const inFlight = new Set<string>();
  // As in containerd: a removal takes a while and refuses another of the same container.
  memory.fault({
    method: 'removeContainer',
    times: Number.POSITIVE_INFINITY,
    answer: async ({ containerId = '' }, proceed) => {
      if (inFlight.has(containerId)) {
        const text = `failed to set removing state for container "${containerId}": container "${containerId}" is already in removing state`;
        throw new NodeAgentError('CRI_UNKNOWN', text);
      }
      inFlight.add(containerId);
      await clock.sleep(400);
      inFlight.delete(containerId);
      return proceed();
    },
  });
  const pods = Array.from({ length: 110 }, (_, index) => buildPod({ name: `p${index}` }));
  // A relist sees a pod's container and sandbox end together, when its worker is through with it already: both events ask for a removal.
  const node = createTestAgent(pods, { clock, files, memory, sourceName: 'api', settings: { resolvConf: '', evented: 'off' } });
  await node.agent.start();
  await clock.until(() => pods.every(({ metadata }) => node.isReady(metadata?.name ?? '')));
  const deletion = { deletionTimestamp: new Date(clock.now()).toISOString(), deletionGracePeriodSeconds: 30 };
  node.source.set(pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, ...deletion } })));
  await clock.until(() => memory.containers().every(({ state }) => state === 'exited'));
  await clock.advance(2_000);
  node.source.set([]);
  await clock.until(() => node.removed.length === 110, 300_000);
  expect([memory.containers(), memory.sandboxes()]).toEqual([[], []]);
  expect([...node.logger.messages('warn'), ...node.logger.messages('error')]).toEqual([]);
  await node.agent.stop();
  expect(clock.pending).toBe(0);
});
