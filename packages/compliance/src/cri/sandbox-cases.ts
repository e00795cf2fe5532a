import assert from 'node:assert/strict';
import { errorCode } from '@nodeagent/api';
import { criCase } from './session.js';

/** The lifecycle of a sandbox: CRI, PodSandbox calls. */
export const sandboxCases = [
  criCase(
    'a sandbox is ready when RunPodSandbox returns, and keeps its configuration',
    async ({ runtime, run, runSandbox, sandboxStatus }) => {
      const id = await runSandbox('web', 2);
      const status = await sandboxStatus(id);
      const { items } = await run(runtime.listPodSandbox({ filter: { id } }));
      for (const found of [status, ...items]) {
        assert.equal(found.id, id);
        assert.equal(found.state, 'SANDBOX_READY');
        assert.deepEqual({ ...found.metadata }, { name: 'web', namespace: 'compliance', uid: 'uid-web', attempt: 2 });
        assert.deepEqual({ ...found.labels }, { suite: 'compliance', pod: 'web' });
        assert.deepEqual({ ...found.annotations }, { 'example.com/note': 'the sandbox of web' });
        assert.ok(found.createdAt > 0n);
      }
      assert.equal(items.length, 1);
    },
  ),

  criCase('StopPodSandbox makes a sandbox not ready, and is idempotent', async ({ runtime, run, runSandbox, sandboxStatus }) => {
    const podSandboxId = await runSandbox('web');
    for (let i = 0; i < 2; i++) {
      await run(runtime.stopPodSandbox({ podSandboxId }));
      assert.equal((await sandboxStatus(podSandboxId)).state, 'SANDBOX_NOTREADY');
    }
  }),

  criCase('RemovePodSandbox removes a sandbox, and is idempotent', async ({ runtime, run, runSandbox }) => {
    const podSandboxId = await runSandbox('web');
    await run(runtime.stopPodSandbox({ podSandboxId }));
    await run(runtime.removePodSandbox({ podSandboxId }));
    await run(runtime.removePodSandbox({ podSandboxId }));
    await assert.rejects(run(runtime.podSandboxStatus({ podSandboxId })), { code: 'CRI_NOT_FOUND' });
    assert.deepEqual((await run(runtime.listPodSandbox({ filter: { id: podSandboxId } }))).items, []);
  }),

  criCase('stopping and removing an unknown sandbox succeeds or is NotFound', async ({ runtime, run }) => {
    const podSandboxId = '0'.repeat(64);
    for (const call of [() => runtime.stopPodSandbox({ podSandboxId }), () => runtime.removePodSandbox({ podSandboxId })]) {
      await run(call()).catch((error: unknown) => assert.equal(errorCode(error), 'CRI_NOT_FOUND'));
    }
  }),

  criCase(
    'a second sandbox with the same name and attempt is refused; the next attempt is accepted',
    async ({ runSandbox, sandboxStatus }) => {
      const first = await runSandbox('web');
      await assert.rejects(runSandbox('web'));
      const second = await runSandbox('web', 1);
      assert.notEqual(first, second);
      assert.ok((await sandboxStatus(second)).createdAt > (await sandboxStatus(first)).createdAt, 'the later one was created later');
    },
  ),

  criCase('a sandbox without metadata is refused', async ({ runtime, run }) => {
    await assert.rejects(run(runtime.runPodSandbox({ config: {} })));
  }),

  criCase('an unknown runtime handler is refused', async ({ runtime, run, sandboxConfig }) => {
    await assert.rejects(run(runtime.runPodSandbox({ config: sandboxConfig('web'), runtimeHandler: 'no-such-handler' })));
  }),

  criCase('ListPodSandbox filters by id, state, labels, and combinations of them', async ({ runtime, run, runSandbox }) => {
    const [web, db] = [await runSandbox('web'), await runSandbox('db')];
    await run(runtime.stopPodSandbox({ podSandboxId: db }));
    const list = async (filter: Parameters<typeof runtime.listPodSandbox>[0]['filter']) =>
      (await run(runtime.listPodSandbox({ filter }))).items.map(({ id }) => id).sort();
    assert.deepEqual(await list({ labelSelector: { suite: 'compliance' } }), [web, db].sort());
    assert.deepEqual(await list({ state: { state: 'SANDBOX_READY' } }), [web]);
    assert.deepEqual(await list({ state: { state: 'SANDBOX_NOTREADY' } }), [db]);
    assert.deepEqual(await list({ labelSelector: { pod: 'web' } }), [web]);
    assert.deepEqual(await list({ id: web, labelSelector: { pod: 'db' } }), []);
    assert.deepEqual(await list({ id: 'none' }), []);
  }),

  criCase('StopPodSandbox stops the containers in the sandbox', async ({ runtime, run, runSandbox, start, status }) => {
    const podSandboxId = await runSandbox('web');
    const ids = [await start(podSandboxId, 'runs'), await start(podSandboxId, 'ignores-stop')];
    await run(runtime.stopPodSandbox({ podSandboxId }));
    for (const id of ids) assert.equal((await status(id)).state, 'CONTAINER_EXITED');
  }),

  criCase(
    'RemovePodSandbox removes the containers in the sandbox, also running ones',
    async ({ runtime, run, runSandbox, start, create }) => {
      const podSandboxId = await runSandbox('web');
      const ids = [await start(podSandboxId, 'runs'), await create(podSandboxId, 'succeeds')];
      await run(runtime.removePodSandbox({ podSandboxId }));
      for (const containerId of ids) await assert.rejects(run(runtime.containerStatus({ containerId })), { code: 'CRI_NOT_FOUND' });
      await runSandbox('web');
    },
  ),
];
