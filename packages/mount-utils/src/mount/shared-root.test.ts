import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { createRecordingLogger } from '@nodeagent/testing';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFakeMounter, type FakeMounter } from './fake-mounter.js';
import { createSharedRoot } from './shared-root.js';

const root = {
  ...{ id: 1, parentId: 0, major: 8, minor: 1, root: '/', mountPoint: '/', options: ['rw'], optionalFields: [] },
  ...{ fsType: 'ext4', source: '/dev/sda1', superOptions: [] },
};

describe("the agent's root directory", () => {
  let rootDir: string;
  let mounter: FakeMounter;
  let isSharedElsewhere: boolean;
  /** Called when the agent waits. */
  let onSleep: (ms: number) => void;
  const clock = { ...systemClock, sleep: async (ms: number) => onSleep(ms) };
  const logger = createRecordingLogger();
  beforeEach(() => {
    const work = realpathSync(mkdtempSync(join(tmpdir(), 'shared-root-')));
    onTestFinished(() => rmSync(work, { recursive: true }));
    rootDir = join(work, 'agent');
    mounter = createFakeMounter({ mounts: [root] });
    isSharedElsewhere = false;
    onSleep = () => {};
    logger.clear();
  });

  /** A run of the agent in one boot of the machine. */
  const run = (boot = 'first') =>
    createSharedRoot({ rootDir, mounter, clock, logger, bootId: async () => boot, isSharedElsewhere: async () => isSharedElsewhere });
  const mountPoints = async () => (await mounter.list()).map(({ mountPoint }) => mountPoint);

  it('is a shared mount while the agent runs, and the agent continues if that fails', async () => {
    const shared = run();
    await shared.start();
    expect(await mountPoints()).toEqual(['/', rootDir]);
    await shared.stop();
    expect(mounter.calls.at(-1)).toBe(`umount --lazy ${rootDir}`);
    expect(await mountPoints()).toEqual(['/']);

    mounter.fail = () => new Error('permission denied');
    await shared.start();
    await shared.stop();
    expect(logger.texts('warn')).toEqual([
      'could not make the root directory a shared mount, mounts do not propagate between the node and containers: permission denied',
    ]);
  });

  it('is unmounted by the next run if a run was killed', async () => {
    await run().start();
    const next = run();
    await next.start();
    expect(await mountPoints()).toEqual(['/', rootDir]);
    await next.stop();
    expect(await mountPoints()).toEqual(['/']);
    expect(existsSync(join(rootDir, 'bound-onto-itself'))).toBe(false);
  });

  it('is unmounted also if the run was killed, or failed, between the bind and making it shared', async () => {
    mounter.answer = () => ({ exitCode: 32, stdout: '', stderr: 'killed' });
    await run().start();
    expect(await mountPoints()).toEqual(['/', rootDir]);
    mounter.answer = undefined;
    const next = run();
    await next.start();
    await next.stop();
    expect(await mountPoints()).toEqual(['/']);
  });

  it('stays shared while pods have mounts in it or containers share it, until a run without them stops', async () => {
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

  it('is unmounted once a container that is being created no longer shares it, and stays after a second', async () => {
    const starting = run();
    await starting.start();
    isSharedElsewhere = true;
    let sleptMs = 0;
    onSleep = (ms) => {
      sleptMs += ms;
      isSharedElsewhere = sleptMs < 300;
    };
    await starting.stop();
    expect([sleptMs, await mountPoints()]).toEqual([300, ['/']]);

    const running = run();
    await running.start();
    isSharedElsewhere = true;
    sleptMs = 0;
    onSleep = (ms) => {
      sleptMs += ms;
    };
    await running.stop();
    expect([sleptMs, await mountPoints()]).toEqual([900, ['/', rootDir]]);
  });

  it('keeps the bind mount of an administrator, even if the agent created one in an earlier boot', async () => {
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

  it('is not bound if it is shared already or the agent cannot mount', async () => {
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
