import assert from 'node:assert/strict';
import { criCase } from './session.js';

/** The other CRI calls: commands, resources, stats, images and events. */
export const featureCases = [
  criCase(
    'ExecSync returns exit code and output',
    async ({ runtime, run, runSandbox, start, exec }) => {
      const containerId = await start(await runSandbox('web'), 'runs');
      for (const { cmd, exitCode, stdout } of exec?.answers ?? []) {
        const answer = await run(runtime.execSync({ containerId, cmd, timeout: 10n }));
        assert.deepEqual([answer.exitCode, new TextDecoder().decode(answer.stdout)], [exitCode, stdout], cmd.join(' '));
      }
    },
    'exec',
  ),

  criCase(
    'ExecSync fails at its timeout, and requires a running container',
    async ({ runtime, run, runSandbox, start, create, status, exec }) => {
      const sandbox = await runSandbox('web');
      const cmd = exec?.hangs ?? [];
      const containerId = await start(sandbox, 'runs');
      await assert.rejects(run(runtime.execSync({ containerId, cmd, timeout: 1n })), { code: 'CRI_DEADLINE_EXCEEDED' });
      assert.equal((await status(containerId)).state, 'CONTAINER_RUNNING');
      const created = await create(sandbox, 'fails');
      await assert.rejects(run(runtime.execSync({ containerId: created, cmd, timeout: 1n })));
    },
    'exec',
  ),

  criCase(
    'UpdateContainerResources changes the status',
    async ({ runtime, run, runSandbox, start, status }) => {
      const containerId = await start(await runSandbox('web'), 'runs', { linux: { resources: { cpuShares: 512n } } });
      await run(runtime.updateContainerResources({ containerId, linux: { cpuShares: 256n } }));
      assert.equal((await status(containerId)).resources?.linux?.cpuShares, 256n);
    },
    'resources',
  ),

  criCase(
    'a running container has stats; an exited one has no usage, if it is listed',
    async ({ runtime, run, runSandbox, start, stop }) => {
      const sandbox = await runSandbox('web');
      const containerId = await start(sandbox, 'runs');
      const { stats } = await run(runtime.containerStats({ containerId }));
      assert.equal(stats?.attributes?.id, containerId);
      assert.ok((stats?.cpu?.timestamp ?? 0n) > 0n && (stats?.memory?.timestamp ?? 0n) > 0n);
      const using = async () =>
        (await run(runtime.listContainerStats({ filter: { podSandboxId: sandbox } }))).stats
          .filter(({ cpu, memory }) => cpu !== undefined || memory !== undefined)
          .map(({ attributes }) => attributes?.id);
      assert.deepEqual(await using(), [containerId]);
      await stop(containerId, 5n);
      assert.deepEqual(await using(), []);
    },
    'stats',
  ),

  criCase('ImageStatus returns a present image, and no image for an absent one', async ({ image, run, images }) => {
    const present = (await run(image.imageStatus({ image: { image: images.present } }))).image;
    assert.ok(present?.id);
    assert.ok((await run(image.listImages({}))).images.some(({ id }) => id === present.id));
    assert.equal((await run(image.imageStatus({ image: { image: images.absent } }))).image, undefined);
    const { imageFilesystems } = await run(image.imageFsInfo({}));
    assert.ok((imageFilesystems[0]?.timestamp ?? 0n) > 0n);
  }),

  criCase(
    'GetContainerEvents sends an event for each step in order, with the status after it',
    async ({ runtime, run, runSandbox, start, exited, eventually }) => {
      const controller = new AbortController();
      const seen: string[] = [];
      let listening = true;
      const listen = async () => {
        for await (const event of runtime.getContainerEvents({}, { signal: controller.signal })) {
          const state = event.containersStatuses.find(({ id }) => id === event.containerId)?.state ?? 'removed';
          seen.push(`${event.containerId} ${event.containerEventType} ${state}`);
        }
      };
      const stream = listen()
        .catch(() => {})
        .finally(() => {
          listening = false;
        });
      const sandbox = await runSandbox('web');
      const containerId = await start(sandbox, 'fails');
      await exited(containerId);
      await run(runtime.removeContainer({ containerId }));
      const own = () => seen.filter((line) => line.startsWith(containerId)).map((line) => line.slice(containerId.length + 1));
      await eventually('four events', () => own().length >= 4);
      assert.deepEqual(
        own().map((line) => line.split(' ')[0]),
        ['CONTAINER_CREATED_EVENT', 'CONTAINER_STARTED_EVENT', 'CONTAINER_STOPPED_EVENT', 'CONTAINER_DELETED_EVENT'],
      );
      assert.match(own()[2] ?? '', /CONTAINER_EXITED/);
      assert.equal(listening, true);
      controller.abort(new Error('enough'));
      await run(stream);
    },
    'events',
  ),
];
