import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerEventResponse, NamespaceOption } from '@nodeagent/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canRunContainers } from './test-machine.js';
import { useMachinePods } from './test-machine-pods.js';

const sharedProcesses: NamespaceOption = { pid: 'POD' };
const inSharedProcesses = { linux: { securityContext: { namespaceOptions: sharedProcesses } } };

describe.runIf(canRunContainers)('a sandbox', () => {
  const pods = useMachinePods({ beforeEach, afterEach });
  const { runSandbox, start, exited } = pods;
  const sandboxesOnDisk = () => readdirSync(join(pods.machine.folder, 'state/sandboxes'));
  const initOf = (id: string) => Number(readFileSync(join(pods.machine.folder, 'state/sandboxes', id, 'infra/pidfile'), 'utf8'));

  it('whose init was killed is not ready, with an event, and takes no containers', async () => {
    const sandbox = await runSandbox(sharedProcesses);
    const container = await start(sandbox, 'sleep 1000', inSharedProcesses);
    const stream = new AbortController();
    const events: ContainerEventResponse[] = [];
    const reading = (async () => {
      for await (const event of pods.oci.runtime.getContainerEvents({}, { signal: stream.signal })) events.push(event);
    })().catch(() => {});
    process.kill(initOf(sandbox), 'SIGKILL');
    // Nothing lists: the exits of its containers are what reports it.
    await expect
      .poll(() => events.map(({ containerId, containerEventType: type }) => [containerId, type]))
      .toEqual([
        [container, 'CONTAINER_STOPPED_EVENT'],
        [sandbox, 'CONTAINER_STOPPED_EVENT'],
      ]);
    stream.abort();
    await reading;
    const { items } = await pods.oci.runtime.listPodSandbox({});
    expect(items.map(({ state }) => state)).toEqual(['SANDBOX_NOTREADY']);
    expect(await exited(container)).toMatchObject({ exitCode: 137 });
    await expect(start(sandbox, 'true', { metadata: { name: 'second', attempt: 0 } })).rejects.toThrow('is not running');
  });

  it('without containers whose init was killed is not ready once it is listed', async () => {
    const sandbox = await runSandbox(sharedProcesses);
    process.kill(initOf(sandbox), 'SIGKILL');
    const stateOf = async () => (await pods.oci.runtime.podSandboxStatus({ podSandboxId: sandbox })).status?.state;
    await expect.poll(stateOf).toBe('SANDBOX_NOTREADY');
  });

  it('that cannot be created reports the first error, and the next attempt removes what its rollback left', async () => {
    const plugin = join(pods.machine.folder, 'fixed');
    const working = readFileSync(plugin, 'utf8');
    const failing = `#!/bin/sh\necho '{ "cniVersion": "1.0.0", "code": 100, "msg": "cannot '$CNI_COMMAND'" }'; exit 1\n`;
    writeFileSync(plugin, failing);
    await expect(runSandbox()).rejects.toThrow('cannot ADD');
    expect(sandboxesOnDisk()).toHaveLength(1);
    writeFileSync(plugin, working);
    const sandbox = await runSandbox();
    expect(sandboxesOnDisk()).toEqual([sandbox]);
  });

  it('with invalid options leaves nothing behind', async () => {
    const mapping = [{ containerId: 0, hostId: 100_000, length: 65_536 }];
    const options: NamespaceOption = { ...sharedProcesses, usernsOptions: { mode: 'CONTAINER', uids: mapping, gids: mapping } };
    await expect(runSandbox(options)).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
    await expect(runSandbox(undefined, { linux: { sysctls: { 'kernel.panic': '1' } } })).rejects.toMatchObject({
      code: 'CRI_INVALID_ARGUMENT',
    });
    expect(sandboxesOnDisk()).toEqual([]);
  });

  it('without a cgroup has its containers and their conmon in one of the runtime', async () => {
    const sandbox = await runSandbox(undefined, { linux: { cgroupParent: '' } });
    const container = await start(sandbox, 'sleep 1000');
    const pidOf = (file: string) => readFileSync(join(pods.machine.folder, 'state/containers', container, file), 'utf8');
    const cgroupsOf = (file: string) => readFileSync(`/proc/${pidOf(file)}/cgroup`, 'utf8');
    expect(cgroupsOf('pidfile')).toContain(`:/nodeagent/${container}\n`);
    expect(cgroupsOf('conmon.pid')).toContain(':/nodeagent/conmon\n');
  });
});
