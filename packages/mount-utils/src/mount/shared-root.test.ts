import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordingLogger } from '@nodeagent/testing';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFakeMounter, type FakeMounter } from './fake-mounter.js';
import { createSharedRoot } from './shared-root.js';

const root = {
  ...{ id: 1, parentId: 0, major: 8, minor: 1, root: '/', mountPoint: '/', options: ['rw'], optionalFields: [] },
  ...{ fsType: 'ext4', source: '/dev/sda1', superOptions: [] },
};

describe("the agent's folder", () => {
  let rootDir: string;
  let mounter: FakeMounter;
  let isSharedElsewhere: boolean;
  const logger = createRecordingLogger();
  beforeEach(() => {
    const work = realpathSync(mkdtempSync(join(tmpdir(), 'shared-root-')));
    onTestFinished(() => rmSync(work, { recursive: true }));
    rootDir = join(work, 'agent');
    mounter = createFakeMounter({ mounts: [root] });
    isSharedElsewhere = false;
    logger.clear();
  });

  /** A run of the agent in one boot of the machine. */
  const run = (boot = 'first') =>
    createSharedRoot({ rootDir, mounter, logger, bootId: async () => boot, isSharedElsewhere: async () => isSharedElsewhere });
  const mountPoints = async () => (await mounter.list()).map(({ mountPoint }) => mountPoint);

  it('is shared while the agent runs, and the agent continues where that fails', async () => {
    const shared = run();
    await shared.start();
    expect(await mountPoints()).toEqual(['/', rootDir]);
    await shared.stop();
    expect(mounter.calls.at(-1)).toBe(`umount --lazy ${rootDir}`);
    expect(await mountPoints()).toEqual(['/']);

    mounter.fail = () => new Error('permission denied');
    await shared.start();
    await shared.stop();
    expect(logger.texts('warn')).toEqual(['mounts are not passed on between the node and containers: permission denied']);
  });

  it('is taken back by the next run if a run was killed', async () => {
    await run().start();
    const next = run();
    await next.start();
    expect(await mountPoints()).toEqual(['/', rootDir]);
    await next.stop();
    expect(await mountPoints()).toEqual(['/']);
    expect(existsSync(join(rootDir, 'bound-onto-itself'))).toBe(false);
  });

  it('is taken back also if the run was killed, or failed, between the bind and its sharing', async () => {
    mounter.answer = () => ({ exitCode: 32, stdout: '', stderr: 'killed' });
    await run().start();
    expect(await mountPoints()).toEqual(['/', rootDir]);
    mounter.answer = undefined;
    const next = run();
    await next.start();
    await next.stop();
    expect(await mountPoints()).toEqual(['/']);
  });

  it('stays shared while pods have mounts in it or containers share it, until the end of a run without them', async () => {
    const first = run();
    await first.start();
    await mounter.mount({ source: 'tmpfs', target: join(rootDir, 'pods/u1') });
    await first.stop();
    const second = run();
    await second.start();
    await mounter.unmount(join(rootDir, 'pods/u1'));
    isSharedElsewhere = true;
    await second.stop();
    expect(await mountPoints()).toEqual(['/', rootDir]);
    const third = run();
    await third.start();
    isSharedElsewhere = false;
    await third.stop();
    expect(await mountPoints()).toEqual(['/']);
  });

  it('stays as an administrator has bound it, also if the agent did in an earlier boot', async () => {
    mkdirSync(rootDir);
    for (const boot of ['first', 'second']) {
      mounter = createFakeMounter({ mounts: [{ ...root }] });
      if (boot === 'second') await run('first').start();
      else await mounter.mount({ source: rootDir, target: rootDir, options: ['bind'] });
      const shared = run(boot);
      await shared.start();
      await shared.stop();
      expect(await mountPoints()).toEqual(['/', rootDir]);
    }
    expect(logger.lines).toEqual([]);
  });

  it('is not bound where it is shared already or the agent may not mount', async () => {
    for (const fake of [
      createFakeMounter({ mounts: [{ ...root, optionalFields: ['shared:1'] }] }),
      createFakeMounter({ canMount: false, mounts: [root] }),
    ]) {
      mounter = fake;
      const shared = run();
      await shared.start();
      await shared.stop();
      expect([mounter.calls, existsSync(join(rootDir, 'bound-onto-itself'))]).toEqual([[], false]);
    }
  });
});
