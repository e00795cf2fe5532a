import assert from 'node:assert/strict';
import { errorCode } from '@nodeagent/api';
import { criCase } from './session.js';

/** The lifecycle of a container until its exit: CRI, container calls. */
export const containerCases = [
  criCase('a created container is not started, and keeps its configuration', async ({ runtime, run, runSandbox, create, status }) => {
    const podSandboxId = await runSandbox('web');
    const id = await create(podSandboxId, 'runs', { name: 'main', metadata: { name: 'main', attempt: 3 } });
    const found = await status(id);
    assert.equal(found.startedAt, 0n);
    assert.equal(found.finishedAt, 0n);
    const { containers } = await run(runtime.listContainers({ filter: { id } }));
    assert.equal(containers.length, 1);
    assert.equal(containers[0]?.podSandboxId, podSandboxId);
    for (const each of [found, ...containers]) {
      assert.equal(each.id, id);
      assert.equal(each.state, 'CONTAINER_CREATED');
      assert.deepEqual({ ...each.metadata }, { name: 'main', attempt: 3 });
      assert.deepEqual({ ...each.labels }, { suite: 'compliance', container: 'main' });
      assert.deepEqual({ ...each.annotations }, { 'example.com/note': 'the container main' });
      assert.ok(each.createdAt > 0n);
      assert.notEqual(each.imageRef, '');
    }
  }),

  criCase('StartContainer starts the container', async ({ runSandbox, start, status }) => {
    const found = await status(await start(await runSandbox('web'), 'runs'));
    assert.equal(found.state, 'CONTAINER_RUNNING');
    assert.ok(found.startedAt >= found.createdAt, 'started after it was created');
    assert.equal(found.finishedAt, 0n);
    assert.equal(found.exitCode, 0);
  }),

  criCase('a container starts once', async ({ runtime, run, runSandbox, start, exited }) => {
    const sandbox = await runSandbox('web');
    const running = await start(sandbox, 'runs');
    await assert.rejects(run(runtime.startContainer({ containerId: running })));
    const over = await start(sandbox, 'succeeds');
    await exited(over);
    await assert.rejects(run(runtime.startContainer({ containerId: over })));
  }),

  criCase('a container that exits reports its exit code, reason and finish time', async ({ runSandbox, start, exited }) => {
    const sandbox = await runSandbox('web');
    for (const [kind, code, reason] of [
      ['succeeds', 0, 'Completed'],
      ['fails', 3, 'Error'],
    ] as const) {
      const found = await exited(await start(sandbox, kind));
      assert.equal(found.exitCode, code);
      assert.equal(found.reason, reason);
      // For a container that exits at once, containerd may record the exit before the start.
      assert.ok(found.startedAt >= found.createdAt && found.finishedAt >= found.createdAt, 'started and finished after it was created');
    }
  }),

  criCase('containers created later have later creation times', async ({ runSandbox, create, status }) => {
    const sandbox = await runSandbox('web');
    let last = 0n;
    for (let i = 0; i < 5; i++) {
      const { createdAt } = await status(await create(sandbox, 'runs', { name: `c${i}` }));
      assert.ok(createdAt > last, `${createdAt} after ${last}`);
      last = createdAt;
    }
  }),

  criCase('a second container with the same name and attempt is refused; the next attempt is accepted', async ({ runSandbox, create }) => {
    const sandbox = await runSandbox('web');
    await create(sandbox, 'runs');
    await assert.rejects(create(sandbox, 'runs'));
    await create(sandbox, 'runs', { metadata: { name: 'runs', attempt: 1 } });
  }),

  criCase(
    'a container requires a sandbox, a name and a present image, and does not start in a stopped sandbox',
    async ({ runtime, run, runSandbox, create, start, container, images }) => {
      const config = { ...container('runs'), metadata: { name: 'main', attempt: 0 } };
      await assert.rejects(run(runtime.createContainer({ podSandboxId: 'none', config })));
      const podSandboxId = await runSandbox('web');
      await assert.rejects(run(runtime.createContainer({ podSandboxId, config: container('runs') })));
      await assert.rejects(create(podSandboxId, 'runs', { image: { image: images.absent } }));
      await run(runtime.stopPodSandbox({ podSandboxId }));
      await assert.rejects(start(podSandboxId, 'runs'));
    },
  ),

  criCase(
    'ListContainers filters by id, state, sandbox, labels, and combinations of them',
    async ({ runtime, run, runSandbox, start, create, exited }) => {
      const [web, db] = [await runSandbox('web'), await runSandbox('db')];
      const running = await start(web, 'runs');
      const over = await start(web, 'fails');
      const created = await create(db, 'runs');
      await exited(over);
      const list = async (filter: Parameters<typeof runtime.listContainers>[0]['filter']) =>
        (await run(runtime.listContainers({ filter }))).containers.map(({ id }) => id).sort();
      assert.deepEqual(await list({ labelSelector: { suite: 'compliance' } }), [running, over, created].sort());
      assert.deepEqual(await list({ state: { state: 'CONTAINER_RUNNING' } }), [running]);
      assert.deepEqual(await list({ state: { state: 'CONTAINER_EXITED' } }), [over]);
      assert.deepEqual(await list({ state: { state: 'CONTAINER_CREATED' } }), [created]);
      assert.deepEqual(await list({ podSandboxId: web }), [running, over].sort());
      assert.deepEqual(await list({ labelSelector: { container: 'runs' }, podSandboxId: db }), [created]);
      assert.deepEqual(await list({ id: over, state: { state: 'CONTAINER_RUNNING' } }), []);
    },
  ),

  criCase(
    'RemoveContainer removes a container, also a running one, and is idempotent',
    async ({ runtime, run, runSandbox, start, create }) => {
      const sandbox = await runSandbox('web');
      for (const containerId of [await start(sandbox, 'runs'), await create(sandbox, 'fails')]) {
        await run(runtime.removeContainer({ containerId }));
        await run(runtime.removeContainer({ containerId }));
        await assert.rejects(run(runtime.containerStatus({ containerId })), { code: 'CRI_NOT_FOUND' });
      }
      assert.deepEqual((await run(runtime.listContainers({ filter: { podSandboxId: sandbox } }))).containers, []);
      await create(sandbox, 'runs');
    },
  ),

  criCase('StartContainer fails for an unknown container; stopping and removing it succeeds or is NotFound', async ({ runtime, run }) => {
    const containerId = '0'.repeat(64);
    await assert.rejects(run(runtime.startContainer({ containerId })), { code: 'CRI_NOT_FOUND' });
    for (const call of [() => runtime.stopContainer({ containerId, timeout: 1n }), () => runtime.removeContainer({ containerId })]) {
      await run(call()).catch((error: unknown) => assert.equal(errorCode(error), 'CRI_NOT_FOUND'));
    }
  }),
];
