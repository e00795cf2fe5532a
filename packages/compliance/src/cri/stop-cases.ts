import assert from 'node:assert/strict';
import { criCase } from './session.js';

/** StopContainer of the CRI. */
export const stopCases = [
  criCase('StopContainer returns when the container has exited', async ({ runSandbox, start, sleep, stop, status }) => {
    const id = await start(await runSandbox('web'), 'runs');
    // The first process of a container gets no signal before it handles it.
    await sleep(500);
    await stop(id, 30n);
    const found = await status(id);
    assert.equal(found.state, 'CONTAINER_EXITED');
    assert.ok(found.finishedAt >= found.startedAt);
    assert.notEqual(found.exitCode, 137);
  }),

  criCase('StopContainer kills a container that does not exit within the timeout', async ({ runSandbox, start, stop, status }) => {
    const id = await start(await runSandbox('web'), 'ignores-stop');
    await stop(id, 1n);
    const found = await status(id);
    assert.equal(found.state, 'CONTAINER_EXITED');
    assert.equal(found.exitCode, 137);
    assert.ok(found.finishedAt - found.startedAt >= 900_000_000n, 'not before the time-out');
  }),

  criCase('StopContainer without a timeout kills at once', async ({ runSandbox, start, stop, status }) => {
    const id = await start(await runSandbox('web'), 'ignores-stop');
    await stop(id, 0n);
    assert.equal((await status(id)).exitCode, 137);
  }),

  criCase('StopContainer does not change an exited container', async ({ runSandbox, start, stop, exited, status }) => {
    const id = await start(await runSandbox('web'), 'fails');
    const before = await exited(id);
    await stop(id, 5n);
    const after = await status(id);
    assert.deepEqual([after.exitCode, after.finishedAt, after.reason], [before.exitCode, before.finishedAt, before.reason]);
  }),

  criCase('containers are stopped concurrently', async ({ runtime, run, runSandbox, start, status }) => {
    const sandbox = await runSandbox('web');
    const ids: string[] = [];
    for (const nth of [1, 2, 3, 4]) ids.push(await start(sandbox, 'ignores-stop', { name: `ignores-stop-${nth}` }));
    await run(Promise.all(ids.map((containerId) => runtime.stopContainer({ containerId, timeout: 1n }))));
    const ends: number[] = [];
    for (const id of ids) {
      const { exitCode, finishedAt } = await status(id);
      assert.equal(exitCode, 137);
      ends.push(Number(finishedAt) / 1e6);
    }
    const apart = Math.max(...ends) - Math.min(...ends);
    assert.ok(apart < 2_500, `ended ${apart} ms apart, where one after the other would be 3000 ms`);
  }),
];
