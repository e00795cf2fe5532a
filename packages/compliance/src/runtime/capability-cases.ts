import assert from 'node:assert/strict';
import type { Pod, ResourceRequirements } from '@nodeagent/api';
import { errorsOf, newest, type RuntimeSession, runtimeCase } from './subject.js';

const withResources = ({ spec, ...pod }: Pod, resources: ResourceRequirements): Pod => ({
  ...pod,
  spec: { ...spec, containers: (spec?.containers ?? []).map((container) => ({ ...container, resources })) },
});

const sized = (cpu: string): ResourceRequirements => ({ requests: { cpu, memory: '32Mi' }, limits: { cpu, memory: '32Mi' } });

/** Optional capabilities of a runtime. */
export const capabilityCases = [
  runtimeCase(
    'isPodResizeInProgress is true until the running container has the resources of the new spec',
    async ({ runtime, pod, run, sync, status }) => {
      const before = withResources(pod('web', { main: 'runs' }), sized('100m'));
      await run(before);
      assert.equal(runtime.isPodResizeInProgress(before, await status(before)), false);
      const after = withResources(before, sized('200m'));
      const observed = await status(after);
      assert.equal(runtime.isPodResizeInProgress(after, observed), true);
      assert.deepEqual(errorsOf(await sync(after)), []);
      const resized = await status(after);
      assert.equal(runtime.isPodResizeInProgress(after, resized), false);
      assert.equal(newest(resized, 'main')?.id, newest(observed, 'main')?.id, 'the container was not restarted');
    },
    'ResizableRuntime',
  ),

  runtimeCase(
    'actuatedPod returns the resources last applied, and changes nothing',
    async ({ runtime, pod, run, sync }) => {
      const before = withResources(pod('web', { main: 'runs' }), sized('100m'));
      const after = withResources(before, sized('200m'));
      const applied = () => {
        const copy = structuredClone(after);
        const cpu = runtime.actuatedPod(after).spec?.containers[0]?.resources?.requests?.cpu;
        assert.deepEqual(after, copy);
        return cpu;
      };
      await run(before);
      assert.equal(applied(), '100m');
      await sync(after);
      assert.equal(applied(), '200m');
    },
    'ResizableRuntime',
  ),

  runtimeCase(
    'returns the stream URLs of a running container and its pod',
    async ({ runtime, pod, run, status, settled }) => {
      const web = pod('web', { main: 'runs' });
      await run(web);
      const id = newest(await status(web), 'main')?.id ?? '';
      for (const url of [
        await settled(runtime.execUrl(id, ['true'], { stdout: true })),
        await settled(runtime.attachUrl(id, { stdout: true })),
        await settled(runtime.portForwardUrl(web, [80])),
      ]) {
        assert.ok(url instanceof URL, `${url} is a URL`);
      }
    },
    'StreamingRuntime',
  ),

  runtimeCase(
    'refuses streams of a stopped container; without a sandbox the error is PodSandboxNotFound',
    async ({ runtime, pod, settled }) => {
      await assert.rejects(settled(runtime.execUrl('unknown', ['true'], { stdout: true })));
      await assert.rejects(settled(runtime.attachUrl('unknown', { stdout: true })));
      await assert.rejects(settled(runtime.portForwardUrl(pod('web', { main: 'runs' }), [80])), { code: 'PodSandboxNotFound' });
    },
    'StreamingRuntime',
  ),

  runtimeCase(
    'deleteDeadContainers removes all exited containers of the pod with removeAll, and no running one',
    async (session) => {
      const { runtime, settled, status } = session;
      const web = await withDeadContainer(session);
      const found = await status(web);
      const died = found.containerStatuses.find(({ state }) => state === 'exited')?.id ?? '';
      for (let i = 0; i < 2; i++) await settled(runtime.deleteDeadContainers(found, died, true));
      assert.deepEqual(
        (await status(web)).containerStatuses.map(({ name, state }) => `${name} ${state}`),
        ['main running'],
      );
    },
    'ReclaimingRuntime',
  ),

  runtimeCase(
    'deleteAllUnusedContainers keeps running containers',
    async (session) => {
      const web = await withDeadContainer(session);
      await session.settled(session.runtime.deleteAllUnusedContainers(true));
      assert.equal(newest(await session.status(web), 'main')?.state, 'running');
    },
    'ReclaimingRuntime',
  ),

  runtimeCase(
    'runtimeVersion returns the name of checkRuntime and a version',
    async ({ runtime, settled }) => {
      await settled(runtime.checkRuntime());
      const { name, version } = await settled(runtime.runtimeVersion());
      assert.equal(name, runtime.runtimeName);
      assert.notEqual(version, '');
    },
    'VersionedRuntime',
  ),
];

/** A pod with a running container `main` and an exited one. */
async function withDeadContainer({ pod, syncUntil }: RuntimeSession): Promise<Pod> {
  const web = pod('web', { main: 'runs', done: 'succeeds' }, { restartPolicy: 'Never' });
  await syncUntil(
    'one runs and one has exited',
    web,
    (found) => newest(found, 'main')?.state === 'running' && newest(found, 'done')?.state === 'exited',
  );
  return web;
}
