import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOciRuntime } from './oci-runtime.js';
import { canRunContainers, createTestMachine, installedRuntimes } from './test-machine.js';
import { useMachinePods } from './test-machine-pods.js';

const handlers = { runc: { path: 'runc', annotations: ['example.com/*'] } };

describe.runIf(canRunContainers && installedRuntimes.includes('runc'))('a runtime with a second OCI runtime', () => {
  const pods = useMachinePods({ beforeEach, afterEach }, () => ({ handlers }));
  const { runSandbox, create, start, statusOf, exited } = pods;
  const containersIn = (folder: string) => readdirSync(join(pods.machine.folder, 'state', folder)).filter((name) => name.length === 64);

  it('runs the pods that request it on it, also after a restart of the agent', async () => {
    const sandbox = await runSandbox({ pid: 'POD' }, {}, 'runc');
    const running = await start(sandbox, 'sleep 1000', { linux: { securityContext: { namespaceOptions: { pid: 'POD' } } } });
    expect(containersIn('runtimes/runc').sort()).toEqual([sandbox, running].sort());
    expect(containersIn('runtime')).toEqual([]);
    await pods.restart();
    const { status } = await pods.oci.runtime.podSandboxStatus({ podSandboxId: sandbox });
    expect([status?.runtimeHandler, status?.state]).toEqual(['runc', 'SANDBOX_READY']);
    expect((await pods.oci.runtime.listPodSandbox({})).items.map(({ runtimeHandler }) => runtimeHandler)).toEqual(['runc']);
    const { exitCode, stdout } = await pods.oci.runtime.execSync({ containerId: running, cmd: ['echo', 'hello'] });
    expect([exitCode, Buffer.from(stdout).toString()]).toEqual([0, 'hello\n']);
    await pods.oci.runtime.stopContainer({ containerId: running, timeout: 0n });
    expect(await statusOf(running)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137 });
    await pods.oci.runtime.removePodSandbox({ podSandboxId: sandbox });
    expect(containersIn('runtimes/runc')).toEqual([]);
  });

  it('gives it only the annotations that its options name', async () => {
    const annotations = { 'example.com/a': '1', 'run.oci.handler': 'x' };
    const container = await create(await runSandbox(undefined, {}, 'runc'), 'true', { annotations });
    const { annotations: passed } = JSON.parse(
      readFileSync(join(pods.machine.folder, 'state/containers', container, 'config.json'), 'utf8'),
    );
    expect(passed).toMatchObject({ 'example.com/a': '1' });
    expect(passed).not.toHaveProperty('run.oci.handler');
  });

  it('refuses pods that request another one, and leaves nothing of them', async () => {
    await expect(runSandbox(undefined, {}, 'kata')).rejects.toMatchObject({
      code: 'CRI_INVALID_ARGUMENT',
      message: expect.stringContaining('failed to get sandbox runtime: no runtime for "kata" is configured'),
    });
    expect(readdirSync(join(pods.machine.folder, 'state/sandboxes'))).toEqual([]);
  });

  it('reports both with their features', async () => {
    const { runtimeHandlers } = await pods.oci.runtime.status({});
    const features = expect.objectContaining({ recursiveReadOnlyMounts: true });
    expect(runtimeHandlers).toEqual([
      { name: '', features },
      { name: 'runc', features },
    ]);
  });

  it('reports an update of resources to the one that runs the container', async () => {
    const container = await start(await runSandbox(undefined, {}, 'runc'), 'trap "exit 0" TERM; while :; do sleep 0.1; done');
    await pods.oci.runtime.updateContainerResources({ containerId: container, linux: { memoryLimitInBytes: 50n << 20n } });
    const { status } = await pods.oci.runtime.containerStatus({ containerId: container });
    expect(status?.resources?.linux?.memoryLimitInBytes).toBe(50n << 20n);
    await pods.oci.runtime.stopContainer({ containerId: container, timeout: 10n });
    expect(await exited(container)).toMatchObject({ exitCode: 0, reason: 'Completed' });
  });
});

describe('the option cgroupDriver', () => {
  const { options, remove } = createTestMachine();
  afterEach(remove);

  it('is reported to the kubelet, and refused if it is another', async () => {
    const driverOf = async (cgroupDriver?: 'cgroupfs' | 'systemd') =>
      (await createOciRuntime({ ...options, ...(cgroupDriver && { cgroupDriver }) }).runtime.runtimeConfig({})).linux?.cgroupDriver;
    expect([await driverOf(), await driverOf('cgroupfs'), await driverOf('systemd')]).toEqual(['CGROUPFS', 'CGROUPFS', 'SYSTEMD']);
    expect(() => createOciRuntime({ ...options, cgroupDriver: 'other' as 'systemd' })).toThrow('cgroupDriver');
  });

  it.runIf(process.getuid?.() === 0 && !existsSync('/run/systemd/system'))('systemd needs systemd', async () => {
    const { start } = createOciRuntime({ ...options, cgroupDriver: 'systemd' });
    await expect(start()).rejects.toMatchObject({ code: 'UnsupportedPlatform', message: expect.stringContaining('needs systemd') });
  });
});

describe('the option handlers', () => {
  const { options, remove } = createTestMachine();
  afterEach(remove);

  it.each([
    [{ Upper: { path: 'x' } }, 'Upper'],
    [{ '../x': { path: 'x' } }, '../x'],
    [{ kata: { path: '' } }, 'handlers["kata"].path'],
    [{ kata: { path: 'kata', root: 'relative' } }, 'handlers["kata"].root'],
    [{ kata: { path: 'kata', root: '/' } }, 'handlers["kata"].root'],
  ])('refuses %j', (handlers, message) => {
    expect(() => createOciRuntime({ ...options, handlers })).toThrow(message);
  });
});
