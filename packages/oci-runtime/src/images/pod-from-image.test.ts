import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerConfig } from '@nodeagent/cri-api';
import { hostImageId } from '@nodeagent/process-runtime/cri';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OciRuntime } from '../oci-runtime.js';
import { startTestRegistry, type TestImageOptions, type TestRegistry, testImage } from '../test-image.js';
import { canRunContainers, createTestMachine, type TestMachine } from '../test-machine.js';
import { createTestPods } from '../test-pods.js';

describe.runIf(canRunContainers)('a container from an image', () => {
  let machine: TestMachine;
  let oci: OciRuntime;
  let registry: TestRegistry;
  let podSandboxId: string;

  const pods = createTestPods(
    () => machine,
    () => oci,
  );
  const { statusOf, exited } = pods;

  beforeEach(async () => {
    machine = createTestMachine();
    registry = await startTestRegistry();
    oci = machine.create();
    await oci.start();
    podSandboxId = await pods.runSandbox();
  });
  afterEach(async () => {
    await oci.runtime.removePodSandbox({ podSandboxId });
    await oci.stop();
    await registry.close();
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(machine.folder);
    expect(existsSync(join(images(), 'mounts')) ? readdirSync(join(images(), 'mounts')) : []).toEqual([]);
    machine.remove();
  });

  const images = () => join(machine.folder, 'state/images');
  /** Resolves to the ID. */
  async function pull(options: TestImageOptions, name = 'app'): Promise<string> {
    registry.add(name, testImage(options));
    return (await oci.image.pullImage({ image: { image: `${registry.host}/${name}:1` } })).imageRef;
  }
  const create = (image: string, more?: ContainerConfig) => pods.create(podSandboxId, '', { image: { image }, command: [], ...more });
  const start = (image: string, more?: ContainerConfig) => pods.start(podSandboxId, '', { image: { image }, command: [], ...more });
  async function run(containerId: string, script: string) {
    const { exitCode, stdout, stderr } = await oci.runtime.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 10n });
    return { exitCode, text: Buffer.concat([stdout, stderr]).toString() };
  }
  const output = () => pods.logLines().map((line) => line.replace(/^std(out|err) F /, ''));
  const passwd = 'root:x:0:0::/root:/bin/sh\nweb:x:1000:1001::/:/bin/sh\n';

  it('runs its entrypoint with its environment, folder and user, on its files alone', async () => {
    const config = {
      Entrypoint: ['sh', '-c', 'echo $GREETING $PWD $(id -u):$(id -g); ls /; cat text'],
      Env: ['GREETING=hello', 'PATH=/bin'],
      User: 'web',
      WorkingDir: '/data',
      StopSignal: 'SIGINT',
    };
    const files = { 'etc/passwd': passwd, 'data/text': 'of the image\n' };
    const id = await pull({ config, files });
    const container = await start(`${registry.host}/app:1`);
    expect(await exited(container)).toMatchObject({ exitCode: 0, imageId: id });
    expect(output().slice(0, 1)).toEqual(['hello /data 1000:1001']);
    expect(output()).toEqual(expect.arrayContaining(['data', 'etc', 'of the image']));
    expect(output()).not.toContain('home');
  });

  it('finds its user through links of the image, and without a list of users by number only', async () => {
    const files = { 'store/users': passwd, 'etc/passwd': '->/store/users', 'etc/group': '->../../../../../etc/none' };
    const linked = await pull({ files, config: { User: 'web', Cmd: ['sleep', '60'] } });
    expect((await statusOf(await create(linked)))?.user?.linux).toMatchObject({ uid: 1000n, gid: 1001n });
    const empty = await pull({ config: { User: 'web', Cmd: ['sleep', '60'] } });
    const metadata = { name: 'second', attempt: 0 };
    await expect(create(empty, { metadata })).rejects.toMatchObject({
      code: 'CRI_INVALID_ARGUMENT',
      message: 'user: unable to find user web: no matching entries in passwd file',
    });
    const linux = { securityContext: { runAsUser: { value: 7n } } };
    expect((await statusOf(await create(empty, { metadata, linux })))?.user?.linux).toMatchObject({ uid: 7n, gid: 0n });
    const folder = await pull({ files: { 'etc/passwd/file': '' }, config: { Cmd: ['sleep', '60'] } });
    await expect(create(folder, { metadata: { name: 'third', attempt: 0 } })).rejects.toThrow('image: cannot read /etc/passwd: ');
  });

  it('without a shell is not started by a command of one, and the error names the command', async () => {
    const id = await pull({ programs: [], files: { file: '' } });
    await expect(create(id)).rejects.toThrow('config.command: no command specified');
    const containerId = await create(id, { command: ['sh', '-c', 'true'] });
    await expect(oci.runtime.startContainer({ containerId })).rejects.toThrow(/cannot create the container: .*\bsh\b.*/);
    await oci.runtime.removeContainer({ containerId });
    expect(readdirSync(join(images(), 'mounts'))).toEqual([]);
  });

  it('reports its image by ID, and by a name with a digest', async () => {
    const id = await pull({ config: { Cmd: ['sleep', '60'] } });
    const { image } = await oci.image.imageStatus({ image: { image: id } });
    const container = await create(id);
    expect(await statusOf(container)).toMatchObject({ imageId: id, imageRef: image?.repoDigests[0], image: { image: id } });
  });

  it('continues after its image is removed, and its writable layer ends with it', async () => {
    const id = await pull({ config: { Cmd: ['sh', '-c', 'echo first > /file; while [ ! -e /go ]; do sleep 0.1; done; cat /file'] } });
    const container = await start(id);
    await oci.image.removeImage({ image: { image: id } });
    expect((await oci.image.listImages({})).images.map((image) => image.id)).toEqual([hostImageId]);
    await oci.runtime.execSync({ containerId: container, cmd: ['sh', '-c', 'echo > /go'], timeout: 10n });
    expect(await exited(container)).toMatchObject({ exitCode: 0, imageId: id });
    expect(output()).toEqual(['first']);
    expect(readdirSync(join(images(), 'layers'))).toHaveLength(1);
    await oci.runtime.removeContainer({ containerId: container });
    expect(readdirSync(join(images(), 'layers'))).toEqual([]);
    await expect(create(id)).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
  });

  it('has the volumes that its image declares, with their content and owner, also on a read-only root file system', async () => {
    const config = { Cmd: ['sleep', '60'], Volumes: { '/data': {}, relative: {}, '/linked': {}, '/out': {}, '/given': {}, '/': {} } };
    const files = {
      'data/file': 'of the image\n',
      'store/file': 'linked\n',
      linked: '->/store',
      out: '->../../../../../../etc',
      'etc/passwd': passwd,
    };
    const id = await pull({ config, files });
    const mounts = [{ containerPath: '/given', hostPath: join(machine.folder, 'given') }];
    const linux = { securityContext: { namespaceOptions: { pid: 'CONTAINER' } as const, readonlyRootfs: true } };
    const container = await start(id, { mounts, linux });
    expect(await run(container, 'cat /data/file /linked/file /out/passwd; echo > /data/new; echo > /relative/new; ls /data')).toEqual({
      exitCode: 0,
      text: `of the image\nlinked\n${passwd}file\nnew\n`,
    });
    expect((await run(container, 'echo > /new')).text).toContain('Read-only file system');
    const volumes = join(machine.folder, 'state/containers', container, 'volumes');
    expect(readdirSync(volumes)).toEqual(['0', '1', '2', '3']);
    expect(lstatSync(join(volumes, '0')).mode & 0o777).toBe(0o755);
    await oci.runtime.removeContainer({ containerId: container });
    expect(existsSync(volumes)).toBe(false);
  });

  it('gets the stop signal of its image', async () => {
    const script = 'trap "exit 5" USR1; trap "exit 6" TERM; echo ready; while :; do sleep 0.1; done';
    const id = await pull({ config: { Cmd: ['sh', '-c', script], StopSignal: 'SIGUSR1' } });
    const container = await start(id);
    expect((await statusOf(container))?.stopSignal).toBe('SIGUSR1');
    // The first process of a process namespace ignores signals without a handler.
    await expect.poll(output).toEqual(['ready']);
    await oci.runtime.stopContainer({ containerId: container, timeout: 10n });
    expect(await statusOf(container)).toMatchObject({ exitCode: 5 });
  });

  it('reports what its writable layer takes', async () => {
    const id = await pull({
      config: { Cmd: ['sh', '-c', 'while read line; do echo "$line$line"; done < /text > /copy; sleep 60'] },
      files: { text: 'x\n' },
    });
    const container = await start(id);
    await expect.poll(async () => (await oci.runtime.execSync({ containerId: container, cmd: ['cat', '/copy'] })).stdout.length).toBe(3);
    const { stats } = await oci.runtime.containerStats({ containerId: container });
    expect(stats?.writableLayer).toMatchObject({ fsId: { mountpoint: images() }, usedBytes: { value: expect.any(BigInt) } });
    expect(Number(stats?.writableLayer?.inodesUsed?.value)).toBeGreaterThanOrEqual(2);
    // An exited container keeps its layer until it is removed.
    await oci.runtime.stopContainer({ containerId: container, timeout: 0n });
    const { containerFilesystems } = await oci.image.imageFsInfo({});
    const { timestamp: _, ...layer } = stats?.writableLayer ?? {};
    expect(containerFilesystems).toMatchObject([layer]);
    await oci.runtime.removeContainer({ containerId: container });
    expect((await oci.image.imageFsInfo({})).containerFilesystems).toMatchObject([
      { ...layer, usedBytes: { value: 0n }, inodesUsed: { value: 0n } },
    ]);
  });

  it('has images as volumes: read-only, and their links do not leave them', async () => {
    const files = { 'etc/passwd': 'of the model\n', 'model/weights': 'w1\n', 'model/link': '->/etc', out: '->../../../../../../etc' };
    const model = await pull({ files, programs: ['ls'] }, 'model');
    const id = await pull({ config: { Cmd: ['sleep', '60'] } });
    const mounts = [
      { containerPath: '/whole', readonly: true, image: { image: model } },
      { containerPath: '/part', readonly: true, image: { image: model }, imageSubPath: 'model' },
      { containerPath: '/link', readonly: true, image: { image: model }, imageSubPath: 'model/link' },
      { containerPath: '/out', readonly: true, image: { image: `${registry.host}/model:1` }, imageSubPath: 'out' },
      { containerPath: '/file', readonly: true, image: { image: model }, imageSubPath: 'model/../model/weights' },
    ];
    const container = await start(id, { mounts });
    expect(await run(container, 'cat /whole/etc/passwd /part/weights /link/passwd /out/passwd /file')).toEqual({
      exitCode: 0,
      text: 'of the model\nw1\nof the model\nof the model\nw1\n',
    });
    for (const path of ['/whole/new', '/part/new', '/link/passwd', '/out/passwd', '/file'])
      expect((await run(container, `echo > ${path}`)).text, path).toContain('Read-only file system');
    expect(await run(container, '/whole/bin/ls /whole/model')).toEqual({ exitCode: 0, text: 'link\nweights\n' });
    const reported = (await statusOf(container))?.mounts.map(({ image }) => image);
    expect(reported?.[0]).toEqual({ image: model, imageRef: model });
    expect(reported?.[3]?.imageRef).toBe(model);
    await oci.image.removeImage({ image: { image: model } });
    expect((await run(container, 'cat /file')).text).toBe('w1\n');
    await oci.runtime.removeContainer({ containerId: container });
    expect(readdirSync(join(images(), 'mounts'))).toEqual([]);
  });

  it('is not created without the image or the path of a volume, and nothing is left', async () => {
    const id = await pull({ config: { Cmd: ['sleep', '60'] } });
    const volume = { containerPath: '/data', readonly: true, image: { image: id }, imageSubPath: 'absent' };
    await expect(create(id, { mounts: [volume] })).rejects.toThrow(/^ImageVolumeMountFailed: .*the image has no path "absent"/);
    const absent = { containerPath: '/data', readonly: true, image: { image: 'none:1' } };
    await expect(create(id, { mounts: [absent] })).rejects.toMatchObject({
      code: 'CRI_NOT_FOUND',
      message: expect.stringContaining('/data'),
    });
    expect([readdirSync(join(images(), 'mounts')), readdirSync(join(machine.folder, 'state/containers'))]).toEqual([[], []]);
  });

  it('is adopted with its files by the next agent, which removes mounts of containers that do not exist', async () => {
    const id = await pull({ config: { Cmd: ['sh', '-c', 'while [ ! -e /go ]; do sleep 0.1; done; exit 4'] } });
    const container = await start(id);
    await oci.stop();
    const store = await machine.options.images({ root: images(), clock: machine.options.clock as never });
    const [own = ''] = readdirSync(join(images(), 'mounts'));
    await store.mount(id, { key: own.replace(container, 'a'.repeat(64)), isWritable: true });
    await store.mount(id, { key: `${own.replace(container, 'a'.repeat(64))}.3` });
    await store.mount(id, { key: 'of-another-program' });
    await store.close();
    oci = machine.create();
    await oci.start();
    expect(readdirSync(join(images(), 'mounts')).sort()).toEqual([own, 'of-another-program'].sort());
    await oci.runtime.execSync({ containerId: container, cmd: ['sh', '-c', 'echo > /go'], timeout: 10n });
    expect(await exited(container)).toMatchObject({ exitCode: 4 });
    await oci.stop();
    const again = await machine.options.images({ root: images(), clock: machine.options.clock as never });
    await again.removeMount('of-another-program');
    await again.close();
    oci = machine.create();
    await oci.start();
  });

  it('whose root file system is not mounted after a restart of the machine has exited, and is removed', async () => {
    const id = await pull({ config: { Cmd: ['sleep', '1000'] } });
    const container = await start(id, { mounts: [{ containerPath: '/part', readonly: true, image: { image: id }, imageSubPath: 'bin' }] });
    await oci.runtime.stopContainer({ containerId: container, timeout: 0n });
    await oci.stop();
    for (const name of readdirSync(join(images(), 'mounts'))) execFileSync('umount', [join(images(), 'mounts', name, 'rootfs')]);
    for (const path of [join('sandboxes', podSandboxId), join('containers', container)]) {
      const file = join(machine.folder, 'state', path, 'record.json');
      const record = readFileSync(file, 'utf8').replace(/"bootId":"[^"]*"/, '"bootId":"earlier"');
      writeFileSync(file, record.replace('"step":"exited"', '"step":"started"'));
    }
    oci = machine.create();
    await oci.start();
    expect(await statusOf(container)).toMatchObject({ state: 'CONTAINER_EXITED', reason: 'ContainerStatusUnknown', imageId: id });
    await oci.runtime.removeContainer({ containerId: container });
    expect(readdirSync(join(images(), 'mounts'))).toEqual([]);
  });

  it('whose mount or layers are damaged can be removed, and the next container runs', async () => {
    const id = await pull({ config: { Cmd: ['sh', '-c', 'echo works'] } });
    const damaged = await start(id, { command: ['sleep', '1000'], metadata: { name: 'damaged', attempt: 0 } });
    await oci.stop();
    const [mount = ''] = readdirSync(join(images(), 'mounts'));
    writeFileSync(join(images(), 'mounts', mount, 'mount.json'), '{');
    const [layer = ''] = readdirSync(join(images(), 'layers'));
    rmSync(join(images(), 'layers', layer, 'layer.json'));
    rmSync(join(images(), 'layers', layer, 'diff/bin/sh'));
    oci = machine.create();
    await oci.start();
    await exited(await start(id));
    expect(output()).toEqual(['works']);
    await oci.runtime.removeContainer({ containerId: damaged });
    expect(existsSync(join(images(), 'mounts', mount))).toBe(false);
  });

  it('is refused without the content of its image, and the error names the image', async () => {
    const id = await pull({ config: { Cmd: ['sleep', '1000'] } });
    rmSync(join(images(), 'blobs/sha256', id.slice('sha256:'.length)));
    await expect(create(id)).rejects.toMatchObject({
      code: 'CRI_UNKNOWN',
      message: expect.stringContaining(`cannot read the image "${id}"`),
    });
  });
});
