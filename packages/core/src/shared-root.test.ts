import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordingLogger } from '@nodeagent/testing';
import { createFakeMounter } from '@nodeagent/volume-manager';
import { expect, it, onTestFinished } from 'vitest';
import { sharedRoot } from './shared-root.js';

const root = {
  ...{ id: 1, parentId: 0, major: 8, minor: 1, root: '/', mountPoint: '/', options: ['rw'], optionalFields: [] },
  ...{ fsType: 'ext4', source: '/dev/sda1', superOptions: [] },
};

it("shares the agent's folder while it runs, and goes on where it cannot", async () => {
  const work = mkdtempSync(join(tmpdir(), 'shared-root-'));
  onTestFinished(() => rmSync(work, { recursive: true }));
  const rootDir = join(work, 'agent');
  const mounter = createFakeMounter({ mounts: [root] });
  const logger = createRecordingLogger();
  const shared = sharedRoot(rootDir, mounter, logger);
  await shared.start();
  expect((await mounter.list()).map(({ mountPoint }) => mountPoint)).toEqual(['/', rootDir]);
  await shared.stop();
  expect(mounter.calls.at(-1)).toBe(`umount --lazy ${rootDir}`);

  await mounter.unmount(rootDir);
  mounter.fail = () => new Error('permission denied');
  await shared.start();
  await shared.stop();
  expect(logger.messages('warn')).toEqual(['mounts are not passed on between the node and containers: permission denied']);
});
