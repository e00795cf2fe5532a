import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount, NamespaceOption } from '@nodeagent/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOciRuntime, type OciRuntime } from './oci-runtime.js';
import { canRunContainers, createTestMachine, type TestMachine, testRuntimes } from './test-machine.js';
import { createTestPods } from './test-pods.js';

describe.runIf(canRunContainers).each(testRuntimes)('a container of the image host on %s', (runtime) => {
  let machine: TestMachine;
  let oci: OciRuntime;
  const podNamespaces: NamespaceOption = { pid: 'CONTAINER' };

  beforeEach(async () => {
    machine = createTestMachine(runtime);
    oci = machine.create();
    await oci.start();
  });
  afterEach(async () => {
    const { items } = await oci.runtime.listPodSandbox({});
    for (const { id } of items) await oci.runtime.removePodSandbox({ podSandboxId: id });
    await oci.stop();
    expect(mountsBelow(machine.folder)).toEqual([]);
    expect(readdirSync(join(machine.folder, 'state/runtime'))).toEqual([]);
    machine.remove();
  });

  const { runSandbox, create, start, statusOf, exited, logLines } = createTestPods(
    () => machine,
    () => oci,
  );

  it('has no mount with propagation from a mount that is not shared', async () => {
    const hostPath = join(machine.folder, 'private');
    mkdirSync(hostPath);
    execFileSync('mount', ['-t', 'tmpfs', '--make-private', 'oci-test', hostPath]);
    const mounts: Mount[] = [{ hostPath, containerPath: '/data', propagation: 'PROPAGATION_BIDIRECTIONAL' }];
    const created = create(await runSandbox(), 'true', { mounts });
    await expect(created.finally(() => execFileSync('umount', [hostPath]))).rejects.toThrow('it is not a shared mount');
  });

  it('has a network, host name, DNS, processes, /dev/shm and files for itself, and the writes stay in its layer', async () => {
    const id = await start(
      await runSandbox(),
      'hostname; cat /etc/hostname /etc/resolv.conf; ls -1 /sys/class/net; echo $$; stat -f -c %T /dev/shm; echo changed > /oci-runtime-test; cat /oci-runtime-test',
    );
    await exited(id);
    expect(logLines().map((line) => line.replace('stdout F ', ''))).toEqual([
      'web-1',
      'web-1',
      'nameserver 10.9.8.7',
      'lo',
      '1',
      'tmpfs',
      'changed',
    ]);
    expect(existsSync('/oci-runtime-test')).toBe(false);
  });

  it('writes both outputs to its log in the CRI format, also after a rotation', async () => {
    const id = await start(await runSandbox(), 'echo out; echo err >&2; printf part; read line; echo after; sleep 60', { stdin: true });
    await expect.poll(() => logLines().sort()).toEqual(['stderr F err', 'stdout F out', 'stdout P part']);
    const path = join(machine.folder, 'logs/main/0.log');
    renameSync(path, `${path}.1`);
    await oci.runtime.reopenContainerLog({ containerId: id });
    await expect.poll(() => existsSync(path)).toBe(true);
    expect(readFileSync(`${path}.1`, 'utf8')).toContain('part');
  });

  it('shares processes, IPC and the network with its pod as the pod requests it', async () => {
    const shared: NamespaceOption = { pid: 'POD', network: 'NODE', ipc: 'NODE' };
    const linux = { securityContext: { namespaceOptions: { pid: 'POD' } as const } };
    const id = await start(await runSandbox(shared), 'head -c 5 /proc/1/cmdline; echo; readlink /proc/self/ns/net /proc/self/ns/ipc', {
      linux,
    });
    await exited(id);
    const own = ['net', 'ipc'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    expect(
      logLines()
        .map((line) => line.replace('stdout F ', ''))
        .filter((line) => line !== '')
        .map((line) => line.replace('stdout P ', '')),
    ).toEqual(['/init', ...own]);
  });

  it('is killed beyond its memory limit, with the reason OOMKilled', async () => {
    const linux = { resources: { memoryLimitInBytes: 20n << 20n }, securityContext: { namespaceOptions: podNamespaces } };
    const id = await start(await runSandbox(), 'x=$(head -c 100000000 /dev/zero | tr "\\0" x); echo "$x"', { linux });
    expect(await exited(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('that the OCI runtime refuses has exited after its start, whose error quotes the OCI runtime', async () => {
    const sandbox = await runSandbox();
    const refused = { command: ['/no/such/program'] };
    const containerId = await create(sandbox, '', refused);
    expect((await statusOf(containerId))?.state).toBe('CONTAINER_CREATED');
    await oci.stop();
    oci = machine.create();
    await oci.start();
    const reason = /cannot create the container: .*no such file/is;
    await expect(oci.runtime.startContainer({ containerId })).rejects.toThrow(reason);
    const failed = { state: 'CONTAINER_EXITED', exitCode: 128, reason: 'StartError', message: expect.stringMatching(reason) };
    expect(await statusOf(containerId)).toMatchObject(failed);

    const stopped = await create(sandbox, '', { ...refused, metadata: { name: 'stopped', attempt: 0 } });
    await oci.runtime.stopContainer({ containerId: stopped, timeout: 10n });
    expect(await statusOf(stopped)).toMatchObject(failed);
    for (const id of [containerId, stopped]) await oci.runtime.removeContainer({ containerId: id });
    expect(readdirSync(join(machine.folder, 'state/containers'))).toEqual([]);
    expect(readdirSync(join(machine.folder, 'state/runtime'))).toEqual([]);
  });

  it('continues while no agent runs; the next agent reports its exit code and stops another', async () => {
    const sandbox = await runSandbox();
    const ends = await start(sandbox, 'sleep 1; echo late; exit 7');
    const runs = await start(sandbox, 'sleep 1000', { metadata: { name: 'runs', attempt: 0 } });
    await oci.stop();
    await expect.poll(logLines).toContain('stdout F late');
    oci = machine.create();
    await oci.start();
    await expect.poll(() => statusOf(ends)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 7, reason: 'Error' });
    expect((await statusOf(runs))?.state).toBe('CONTAINER_RUNNING');
    await oci.runtime.stopContainer({ containerId: runs, timeout: 0n });
    expect(await statusOf(runs)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137 });
  });

  it('whose conmon was killed counts as exited with an unknown status, and its processes are killed', async () => {
    const id = await start(await runSandbox(), 'sleep 1000');
    const folder = join(machine.folder, 'state/containers', id);
    const pid = readFileSync(join(folder, 'pidfile'), 'utf8');
    process.kill(Number(readFileSync(join(folder, 'conmon.pid'), 'utf8')), 'SIGKILL');
    expect(await exited(id)).toMatchObject({ exitCode: 137, reason: 'ContainerStatusUnknown' });
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });

  it('after a restart of the machine has exited, and its sandbox is not ready', async () => {
    const sandbox = await runSandbox();
    const id = await start(sandbox, 'sleep 1000');
    await oci.runtime.stopContainer({ containerId: id, timeout: 0n });
    await oci.stop();
    for (const path of [join('sandboxes', sandbox), join('containers', id)]) {
      const file = join(machine.folder, 'state', path, 'record.json');
      const record = readFileSync(file, 'utf8').replace(/"bootId":"[^"]*"/, '"bootId":"earlier"');
      writeFileSync(file, record.replace('"step":"exited"', '"step":"started"'));
    }
    oci = machine.create();
    await oci.start();
    expect(await statusOf(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137, reason: 'ContainerStatusUnknown' });
    expect((await oci.runtime.podSandboxStatus({ podSandboxId: sandbox })).status?.state).toBe('SANDBOX_NOTREADY');
  });
});

describe('createOciRuntime', () => {
  const { options, remove } = createTestMachine();
  afterEach(remove);

  it('refuses a root that is not a folder for it alone', () => {
    for (const root of ['relative', '/', '/a/..']) expect(() => createOciRuntime({ ...options, root })).toThrow('root');
  });

  it.runIf(process.getuid?.() === 0)('names a missing program', async () => {
    const { start } = createOciRuntime({ ...options, runtime: 'no-such-runtime' });
    await expect(start()).rejects.toMatchObject({ code: 'UnsupportedPlatform', message: expect.stringContaining('no-such-runtime') });
  });

  it.runIf(process.getuid?.() !== 0)('needs root', async () => {
    await expect(createOciRuntime(options).start()).rejects.toMatchObject({ code: 'UnsupportedPlatform' });
  });
});

function mountsBelow(folder: string): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${folder}/`));
}
