import assert from 'node:assert/strict';
import { errorCode } from '@nodeagent/api';
import { errorsOf, newest, runtimeCase } from './subject.js';

/** Start, listing and sync of pods. */
export const podCases = [
  runtimeCase('checkRuntime resolves, and then runtimeName is set', async ({ runtime, settled }) => {
    await settled(runtime.checkRuntime());
    assert.notEqual(runtime.runtimeName, '');
  }),

  runtimeCase('status reports that the runtime and its network are ready', async ({ runtime, settled }) => {
    const { runtimeReady, networkReady } = await settled(runtime.status());
    assert.deepEqual({ runtimeReady, networkReady }, { runtimeReady: true, networkReady: true });
  }),

  runtimeCase('a runtime without pods lists and returns none', async ({ runtime, settled, uids }) => {
    assert.deepEqual([await uids(false), await uids(true)], [[], []]);
    assert.equal(await settled(runtime.getPod('uid-unknown')), undefined);
  }),

  runtimeCase(
    'syncPod starts a pod, which is then listed with its containers and sandbox',
    async ({ runtime, pod, sync, run, settled }) => {
      const web = pod('web', { main: 'runs', side: 'runs' });
      assert.deepEqual(errorsOf(await sync(web)), []);
      await run(web);
      for (const all of [false, true]) {
        const [listed, ...others] = await settled(runtime.getPods(all));
        assert.deepEqual(others, []);
        assert.deepEqual([listed?.uid, listed?.name, listed?.namespace], ['uid-web', 'web', 'compliance']);
        assert.deepEqual(listed?.containers.map(({ name, state }) => `${name} ${state}`).sort(), ['main running', 'side running']);
        assert.deepEqual(
          listed?.sandboxes.map(({ state }) => state),
          ['running'],
        );
      }
      assert.deepEqual((await settled(runtime.getPod('uid-web')))?.containers.length, 2);
    },
  ),

  runtimeCase('getPodStatus returns the full status of a running pod', async ({ pod, run, status }) => {
    const web = pod('web', { main: 'runs' });
    await run(web);
    const { uid, name, namespace, containerStatuses, activeContainerStatuses, sandboxStatuses } = await status(web);
    assert.deepEqual([uid, name, namespace], ['uid-web', 'web', 'compliance']);
    assert.deepEqual(
      sandboxStatuses.map(({ state }) => state),
      ['ready'],
    );
    const [main, ...others] = containerStatuses;
    assert.deepEqual(others, []);
    assert.deepEqual([main?.name, main?.state, main?.restartCount], ['main', 'running', 0]);
    assert.equal(main?.podSandboxId, sandboxStatuses[0]?.id);
    assert.ok(main?.startedAt !== undefined && main.startedAt >= main.createdAt, 'started after it was created');
    assert.equal(main.finishedAt, undefined);
    assert.deepEqual(activeContainerStatuses, containerStatuses);
  }),

  runtimeCase('getPodStatus of an unknown pod is empty', async ({ pod, status }) => {
    const found = await status(pod('web', { main: 'runs' }));
    assert.deepEqual([found.ips, found.containerStatuses, found.activeContainerStatuses, found.sandboxStatuses], [[], [], [], []]);
  }),

  runtimeCase('syncPod does not change a pod that matches its spec', async ({ pod, run, sync, status }) => {
    const web = pod('web', { main: 'runs' });
    await run(web);
    const before = await status(web);
    for (let i = 0; i < 2; i++) assert.deepEqual(errorsOf(await sync(web)), []);
    const after = await status(web);
    assert.deepEqual(
      [...after.sandboxStatuses, ...after.containerStatuses].map(({ id }) => id),
      [...before.sandboxStatuses, ...before.containerStatuses].map(({ id }) => id),
    );
  }),

  runtimeCase('pods are synced concurrently', async ({ pod, run, uids }) => {
    await Promise.all(['web', 'db', 'job'].map((name) => run(pod(name, { main: 'runs' }))));
    assert.deepEqual(await uids(false), ['uid-db', 'uid-job', 'uid-web']);
  }),

  runtimeCase('a container that exits is restarted by the restart policy Always', async ({ pod, syncUntil }) => {
    const web = pod('web', { main: 'fails', side: 'runs' });
    const status = await syncUntil('a restart', web, (found) => (newest(found, 'main')?.restartCount ?? 0) > 0);
    const instances = status.containerStatuses.filter(({ name }) => name === 'main');
    assert.ok(
      instances.every(({ createdAt }, i) => i === 0 || createdAt < (instances[i - 1]?.createdAt ?? 0n)),
      'newest first',
    );
    assert.equal(newest(status, 'side')?.restartCount, 0);
  }),

  runtimeCase(
    'a container that exits is not restarted with the restart policy Never',
    async ({ pod, syncUntil, sync, status, advance }) => {
      const job = pod('job', { bad: 'fails', good: 'succeeds' }, { restartPolicy: 'Never' });
      const ended = await syncUntil('both exit', job, (found) => ['bad', 'good'].every((name) => newest(found, name)?.state === 'exited'));
      assert.deepEqual([newest(ended, 'bad')?.exitCode, newest(ended, 'good')?.exitCode], [3, 0]);
      const { startedAt = 0n, finishedAt = 0n } = newest(ended, 'bad') ?? {};
      assert.ok(finishedAt >= startedAt && startedAt > 0n);
      await advance(60_000);
      await sync(job);
      assert.equal((await status(job)).containerStatuses.length, 2);
    },
  ),

  runtimeCase('a container that cannot start is an error in the result, with a code, and the others run', async ({ pod, sync, status }) => {
    const web = pod('web', { broken: 'cannot-start', main: 'runs' });
    const result = await sync(web);
    const failed = result.results.find(({ action, target }) => action === 'StartContainer' && target === 'broken');
    assert.ok(failed?.error instanceof Error, 'the failed action has an error');
    assert.equal(typeof errorCode(failed.error), 'string');
    assert.equal(newest(await status(web), 'main')?.state, 'running');
  }),

  runtimeCase('restartAllContainers removes the containers, and the next sync starts them again', async ({ pod, run, sync, status }) => {
    const web = pod('web', { main: 'runs', side: 'runs' });
    await run(web);
    const before = (await status(web)).containerStatuses.map(({ id }) => id);
    assert.deepEqual(errorsOf(await sync(web, { restartAllContainers: true })), []);
    assert.deepEqual((await status(web)).containerStatuses, []);
    await run(web);
    assert.ok((await status(web)).containerStatuses.every(({ id }) => !before.includes(id)));
  }),

  runtimeCase('listings are copies', async ({ runtime, pod, run, settled, uids }) => {
    await run(pod('web', { main: 'runs' }));
    const pods = await settled(runtime.getPods(true));
    const first = pods[0];
    assert.ok(first);
    first.containers.length = 0;
    pods.length = 0;
    const found = await settled(runtime.getPod('uid-web'));
    assert.equal(found?.containers.length, 1);
    assert.deepEqual(await uids(true), ['uid-web']);
  }),
];
