import assert from 'node:assert/strict';
import { errorCode, errorMessage, type Mounter, type MountInfo, type MountRequest } from '@nodeagent/api';
import type { Suite } from '../suite/suite.js';

/** A mounter under test. A case unmounts its mounts, unless it fails. */
export interface MounterSubject {
  mounter: Mounter;
  /** Two empty folders without mounts, with the paths that the mount list uses. Required for the capability `mounts`. */
  targets: readonly [string, string];
  /** A request that fails, for example with an unknown file system type, with a sensitive option. Required for the capability `mounts`. */
  failing: MountRequest & { sensitiveOptions: readonly string[] };
  /** Keeps the mount on the target busy until `release`. Required for the capability `busy`. */
  keepBusy?(target: string): Promise<{ release(): Promise<void> }>;
  /** Tools for the capability `tools`: one that runs, with its result, and one that cannot be started. */
  tools?: { fails: { command: string; args: readonly string[]; exitCode: number; stdout: string; stderr: string }; missing: string };
  /** A mounter of a process without the permission to mount: `canMount` is false. Required for the capability `powerless`. */
  powerless?: Mounter;
}

/**
 * Optional capabilities: leave out `mounts` and `busy` where mounting is not permitted, such as without root; `tools` and `powerless` if
 * the subject has none.
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

/** The promises of `Mounter` of `@nodeagent/api`. */
export const mounterSuite: Suite<MounterSubject> = {
  name: 'Mounter',
  cases: [
    mounterCase('reports whether it can mount', async ({ mounter }) => {
      assert.equal(typeof mounter.canMount, 'boolean');
    }),

    mounterCase('reports whether tmpfs supports noswap', async ({ mounter }) => {
      assert.equal(typeof (await mounter.canRefuseSwap()), 'boolean');
    }),

    mounterCase(
      'lists its mounts until they are unmounted',
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
      'unmounts stacked mounts one at a time, the last one first',
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
      'bind-mounts a folder, read-only if requested',
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
      'mounts several targets concurrently',
      async ({ mounter, targets }) => {
        await Promise.all(targets.map((target) => mounter.mount(tmpfs(target))));
        const counts = await Promise.all(targets.map(async (target) => (await mountsAt(mounter, target)).length));
        await Promise.all(targets.map((target) => mounter.unmount(target)));
        assert.deepEqual(counts, [1, 1]);
      },
      'mounts',
    ),

    mounterCase(
      'unmounting a target without a mount succeeds',
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
      'rejects with the reason of an aborted signal, and does not mount',
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
      'rejects the unmount of a busy mount with MountFailed, and keeps it mounted',
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
      'resolves with the result of a tool, also if it fails',
      async ({ mounter, tools }) => {
        const { command = '', args = [], ...answer } = tools?.fails ?? {};
        assert.deepEqual({ ...(await mounter.run(command, args)) }, answer);
      },
      'tools',
    ),

    mounterCase(
      'rejects if a tool cannot be started, and with the reason of an aborted signal',
      async ({ mounter, tools }) => {
        const { missing = '', fails } = tools ?? {};
        await assert.rejects(mounter.run(missing, []));
        const signal = AbortSignal.abort(new Error('the agent ends'));
        assert.equal(await failureOf(mounter.run(fails?.command ?? '', fails?.args ?? [], signal)), signal.reason);
      },
      'tools',
    ),

    mounterCase(
      'rejects with MountNotPermitted without the permission to mount',
      async ({ powerless, targets: [target] }) => {
        assert.equal(powerless?.canMount, false);
        assert.equal(errorCode(await failureOf(powerless.mount(tmpfs(target)))), 'MountNotPermitted');
        assert.deepEqual(await mountsAt(powerless, target), []);
      },
      'powerless',
    ),
  ],
};
