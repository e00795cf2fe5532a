import assert from 'node:assert/strict';
import { errorsOf, newest, runtimeCase } from './subject.js';

/** The termination of pods, and garbage collection. */
export const endCases = [
  runtimeCase('killPod stops the containers, then the sandbox', async ({ pod, run, kill, status, uids }) => {
    const web = pod('web', { main: 'runs', side: 'runs' });
    await run(web);
    assert.deepEqual(errorsOf(await kill(web)), []);
    const { containerStatuses, sandboxStatuses, activeContainerStatuses } = await status(web);
    assert.deepEqual(
      containerStatuses.map(({ state }) => state),
      ['exited', 'exited'],
    );
    assert.ok(containerStatuses.every(({ finishedAt = 0n, startedAt = 0n }) => finishedAt >= startedAt && startedAt > 0n));
    assert.deepEqual(
      sandboxStatuses.map(({ state }) => state),
      ['notReady'],
    );
    assert.deepEqual(activeContainerStatuses, []);
    assert.deepEqual([await uids(false), await uids(true)], [[], ['uid-web']]);
  }),

  runtimeCase('killPod is idempotent', async ({ pod, run, kill, status }) => {
    const web = pod('web', { main: 'runs' });
    await run(web);
    await kill(web);
    const before = await status(web);
    assert.deepEqual(errorsOf(await kill(web)), []);
    assert.deepEqual((await status(web)).containerStatuses, before.containerStatuses);
  }),

  runtimeCase('killPod stops a runtime-only pod', async ({ runtime, pod, run, observed, settled, uids }) => {
    const web = pod('web', { main: 'runs' });
    await run(web);
    await run(pod('db', { main: 'runs' }));
    assert.deepEqual(errorsOf(await settled(runtime.killPod(undefined, await observed(web), 2))), []);
    assert.deepEqual(await uids(false), ['uid-db']);
  }),

  runtimeCase('killPod kills a container at the end of the grace period', async ({ pod, run, kill, status }) => {
    const web = pod('web', { main: 'ignores-stop' });
    await run(web);
    assert.deepEqual(errorsOf(await kill(web, 3)), []);
    const main = newest(await status(web), 'main');
    assert.equal(main?.state, 'exited');
    assert.equal(main?.exitCode, 137);
  }),

  runtimeCase('a killed pod runs again when it is synced', async ({ pod, run, kill, status }) => {
    const web = pod('web', { main: 'runs' });
    await run(web);
    await kill(web);
    await run(web);
    const { sandboxStatuses, activeContainerStatuses } = await status(web);
    assert.equal(sandboxStatuses[0]?.state, 'ready');
    assert.ok((sandboxStatuses[0]?.attempt ?? 0) > (sandboxStatuses[1]?.attempt ?? -1), 'highest attempt first');
    assert.deepEqual(
      activeContainerStatuses.map(({ state }) => state),
      ['running'],
    );
  }),

  runtimeCase('garbage collection and collectBackOff do not affect running pods', async ({ runtime, pod, run, status, settled }) => {
    const web = pod('web', { main: 'runs' });
    await run(web);
    const before = await status(web);
    for (const allSourcesReady of [false, true]) await settled(runtime.garbageCollect(allSourcesReady));
    runtime.collectBackOff();
    assert.deepEqual((await status(web)).containerStatuses, before.containerStatuses);
  }),
];
