import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createMemoryPodDirs } from '../host/memory-pod-dirs.js';
import { createTestAgent, testMachine } from '../test-agent.js';

const minute = 60_000;

/** The size of each image of the runtime in memory. */
const mib = 1n << 20n;

/** An agent whose images fill a disk of 10 MiB. */
function nodeWithDisk(disk: { otherBytes: bigint }, options: Parameters<typeof createTestAgent>[1] = {}) {
  const images = ['old:1', 'old:2', 'used:1'];
  const node = createTestAgent([buildPod({ name: 'web', containers: ['used:1'] })], { images, ...options });
  const listed = async () => (await node.memory.image.listImages({})).images.flatMap(({ repoTags }) => repoTags).map(shortName);
  const imageFsStats = async () => {
    const used = BigInt((await listed()).length) * mib + disk.otherBytes;
    return { capacityBytes: 10n * mib, availableBytes: 10n * mib - used };
  };
  return { node, listed, imageFsStats };
}
const shortName = (tag: string) => tag.split('/').at(-1) ?? tag;

it('removes unused images when their disk fills up, keeps those in use, and plans it beforehand', async () => {
  const disk = { otherBytes: 0n };
  let stats = async () => ({ capacityBytes: mib, availableBytes: mib });
  const files = createMemoryFiles();
  const host = { ...testMachine, files, podDirs: createMemoryPodDirs(files), imageFsStats: () => stats() };
  const { node, listed, imageFsStats } = nodeWithDisk(disk, { host });
  stats = imageFsStats;
  const gcEntries: string[] = [];
  node.agent.on('timeline', ({ kind, text }) => void (kind === 'gc' && gcEntries.push(text)));
  await node.agent.start();
  await node.untilReady('web');
  await node.clock.advance(6 * minute);
  expect((await listed()).sort()).toEqual(['old:1', 'old:2', 'used:1']);
  disk.otherBytes = (13n * mib) / 2n;
  const plan = await node.agent.imageGc.plan();
  expect(plan.images.map(({ reason }) => reason)).toEqual(['FreesSpace', 'FreesSpace', 'InUse']);
  await node.clock.advance(5 * minute);
  expect(await listed()).toEqual(['used:1']);
  expect(gcEntries.filter((text) => /^image .+ was removed$/.test(text))).toHaveLength(2);
  expect(node.phase('web')).toBe('Running');
  expect(node.eventLines().filter((line) => line.includes('FreeDiskSpaceFailed'))).toEqual([]);
  disk.otherBytes = 8n * mib;
  await node.clock.advance(5 * minute);
  expect(node.eventLines('node').join()).toContain('Warning FreeDiskSpaceFailed Insufficient free disk space');
  await node.agent.stop();
  expect(node.clock.pending).toBe(0);
});

it('calls nothing in a simulation without a disk', async () => {
  const { node, listed } = nodeWithDisk({ otherBytes: 0n });
  await node.agent.start();
  await node.clock.advance(60 * minute);
  expect(node.memory.callsOf('imageFsInfo')).toEqual([]);
  expect(await listed()).toHaveLength(3);
  await node.agent.stop();
});
