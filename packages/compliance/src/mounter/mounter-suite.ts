import assert from 'node:assert/strict';
import { errorCode, errorMessage, type Mounter, type MountInfo, type MountRequest } from '@nodeagent/api';
import type { Suite } from '../suite/suite.js';

/** A mounter under test. What it mounts for a case is unmounted by that case, unless the case fails. */
export interface MounterSubject {
  mounter: Mounter;
  /** Two empty folders on which nothing is mounted, as the list of mounts has their paths. The capability `mounts` needs them. */
  targets: readonly [string, string];
  /** A request that fails, such as one of an unknown kind of file system, with a sensitive option. The capability `mounts` needs it. */
  failing: MountRequest & { sensitiveOptions: readonly string[] };
  /** Keeps what is mounted on the target in use, so that it cannot be unmounted, until it is released. The capability `busy` needs it. */
  keepBusy?(target: string): Promise<{ release(): Promise<void> }>;
  /** Tools for the capability `tools`: one that runs and what it then answers, and one that cannot be run at all. */
  tools?: { fails: { command: string; args: readonly string[]; exitCode: number; stdout: string; stderr: string }; missing: string };
  /** The same for a process that may not mount: `canMount` is false. The capability `powerless` needs it. */
  powerless?: Mounter;
}

/**
 * The parts of the contract that a mounter may lack: `mounts` and `busy` where nothing can be mounted, as without root; `tools` and
 * `powerless` where there are none.
 */
export type MounterCapability = 'mounts' | 'busy' | 'tools' | 'powerless';

const tmpfs = (target: string): MountRequest => ({ source: 'tmpfs', target, fsType: 'tmpfs' });
const bind = (source: string, target: string, ...more: string[]): MountRequest => ({ source, target, options: ['bind', ...more] });

async function mountsAt(mounter: Mounter, target: string): Promise<MountInfo[]> {
  return (await mounter.list()).filter(({ mountPoint }) => mountPoint === target);
}

/** The error of a call that must fail. */
async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail('the call resolves'),
    (error: unknown) => error,
  );
}

const mounterCase = (name: string, run: (subject: MounterSubject) => Promise<void>, capability?: MounterCapability) => ({
  name,
  ...(capability && { capability }),
  run,
});

/** What `Mounter` of `@nodeagent/api` promises. */
export const mounterSuite: Suite<MounterSubject> = {
  name: 'Mounter',
  cases: [
    mounterCase('knows whether it can mount', async ({ mounter }) => {
      assert.equal(typeof mounter.canMount, 'boolean');
    }),

    mounterCase('knows whether tmpfs can refuse swap', async ({ mounter }) => {
      assert.equal(typeof (await mounter.canRefuseSwap()), 'boolean');
    }),

    mounterCase(
      'lists what it has mounted, until it is unmounted',
      async ({ mounter, targets: [target] }) => {
        await mounter.mount(tmpfs(target));
        const mounts = await mountsAt(mounter, target);
        await mounter.unmount(target);
        assert.deepEqual(
          mounts.map(({ mountPoint, fsType }) => ({ mountPoint, fsType })),
          [{ mountPoint: target, fsType: 'tmpfs' }],
        );
        assert.deepEqual(await mountsAt(mounter, target), []);
      },
      'mounts',
    ),

    mounterCase(
      'lists mounts that the caller may change',
      async ({ mounter, targets: [target] }) => {
        await mounter.mount(tmpfs(target));
        const changed = await mounter.list();
        for (const each of changed) Object.assign(each, { mountPoint: '/changed' }).options.push('changed');
        const [mount] = await mountsAt(mounter, target);
        await mounter.unmount(target);
        assert.equal(mount?.mountPoint, target);
        assert.ok(!mount.options.includes('changed'), `${mount.options}`);
      },
      'mounts',
    ),

    mounterCase(
      'has to unmount twice what it has mounted twice, the later mount first',
      async ({ mounter, targets: [target] }) => {
        await mounter.mount(tmpfs(target));
        const [first] = await mountsAt(mounter, target);
        await mounter.mount(tmpfs(target));
        const both = await mountsAt(mounter, target);
        await mounter.unmount(target);
        const left = await mountsAt(mounter, target);
        await mounter.unmount(target);
        assert.equal(both.length, 2);
        assert.equal(both[0]?.id, first?.id, 'the covering mount is listed after the covered one');
        assert.deepEqual(
          left.map(({ id }) => id),
          [first?.id],
        );
        assert.deepEqual(await mountsAt(mounter, target), []);
      },
      'mounts',
    ),

    mounterCase(
      'mounts a folder at a second place, read-only if asked to',
      async ({ mounter, targets: [source, target] }) => {
        await mounter.mount(tmpfs(source));
        await mounter.mount(bind(source, target, 'ro'));
        const [[original], [bound]] = [await mountsAt(mounter, source), await mountsAt(mounter, target)];
        await mounter.unmount(target);
        await mounter.unmount(source);
        assert.deepEqual([bound?.major, bound?.minor], [original?.major, original?.minor], 'the same file system');
        assert.ok(bound?.options.includes('ro'), `${bound?.options}`);
        assert.ok(!original?.options.includes('ro'), 'the source stays writable');
      },
      'mounts',
    ),

    mounterCase(
      'mounts several targets at once',
      async ({ mounter, targets }) => {
        await Promise.all(targets.map((target) => mounter.mount(tmpfs(target))));
        const counts = await Promise.all(targets.map(async (target) => (await mountsAt(mounter, target)).length));
        await Promise.all(targets.map((target) => mounter.unmount(target)));
        assert.deepEqual(counts, [1, 1]);
      },
      'mounts',
    ),

    mounterCase(
      'unmounts a target on which nothing is mounted',
      async ({ mounter, targets: [target] }) => {
        await mounter.unmount(target);
        assert.deepEqual(await mountsAt(mounter, target), []);
      },
      'mounts',
    ),

    mounterCase(
      'rejects a mount that fails with MountFailed, and never shows sensitive options',
      async ({ mounter, failing }) => {
        const error = await failureOf(mounter.mount(failing));
        assert.equal(errorCode(error), 'MountFailed');
        const shown = [errorMessage(error), JSON.stringify((error as { details?: unknown }).details ?? {})].join(' ');
        for (const secret of failing.sensitiveOptions) assert.ok(!shown.includes(secret), 'a sensitive option is in the error');
        assert.deepEqual(await mountsAt(mounter, failing.target), []);
      },
      'mounts',
    ),

    mounterCase(
      'rejects with the reason of a signal that has aborted, and mounts nothing',
      async ({ mounter, targets: [target] }) => {
        const signal = AbortSignal.abort(new Error('the agent ends'));
        assert.equal(await failureOf(mounter.mount(tmpfs(target), signal)), signal.reason);
        assert.deepEqual(await mountsAt(mounter, target), []);
        await mounter.mount(tmpfs(target));
        const unmounting = await failureOf(mounter.unmount(target, signal));
        const left = await mountsAt(mounter, target);
        await mounter.unmount(target);
        assert.equal(unmounting, signal.reason);
        assert.equal(left.length, 1);
      },
      'mounts',
    ),

    mounterCase(
      'rejects the unmount of what is in use with MountFailed, and leaves it mounted',
      async ({ mounter, targets: [target], keepBusy }) => {
        await mounter.mount(tmpfs(target));
        const busy = await keepBusy?.(target);
        const error = await failureOf(mounter.unmount(target)).finally(() => busy?.release());
        const left = await mountsAt(mounter, target);
        await mounter.unmount(target);
        assert.equal(errorCode(error), 'MountFailed');
        assert.equal(left.length, 1);
      },
      'busy',
    ),

    mounterCase(
      'runs tools, whose failure is an answer',
      async ({ mounter, tools }) => {
        const { command = '', args = [], ...answer } = tools?.fails ?? {};
        assert.deepEqual({ ...(await mounter.run(command, args)) }, answer);
      },
      'tools',
    ),

    mounterCase(
      'rejects if a tool cannot be run, and with the reason of a signal that has aborted',
      async ({ mounter, tools }) => {
        const { missing = '', fails } = tools ?? {};
        await assert.rejects(mounter.run(missing, []));
        const signal = AbortSignal.abort(new Error('the agent ends'));
        assert.equal(await failureOf(mounter.run(fails?.command ?? '', fails?.args ?? [], signal)), signal.reason);
      },
      'tools',
    ),

    mounterCase(
      'rejects with MountNotPermitted where it cannot mount',
      async ({ powerless, targets: [target] }) => {
        assert.equal(powerless?.canMount, false);
        assert.equal(errorCode(await failureOf(powerless.mount(tmpfs(target)))), 'MountNotPermitted');
        assert.deepEqual(await mountsAt(powerless, target), []);
      },
      'powerless',
    ),
  ],
};
