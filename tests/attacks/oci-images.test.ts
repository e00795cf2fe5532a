import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialUpgrade, openHeaders, openRemoteCommand } from '@nodeagent/streaming';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { canRunContainers } from '../../packages/oci-runtime/src/test-machine.js';
import { type Attack, type OciPods, startOciPods } from './oci-pods.js';
import { startSwapper } from './swapper.js';

describe.runIf(canRunContainers)('the OCI runtime', () => {
  let pods: OciPods;
  let sandbox: string;
  beforeAll(async () => {
    pods = await startOciPods();
    sandbox = await pods.runSandbox();
  });
  afterAll(() => pods.close());
  afterEach(() => {
    expect(readdirSync(pods.secret)).toEqual(['file']);
    expect(readFileSync(join(pods.secret, 'file'), 'utf8')).toBe('secret of the host\n');
  });

  /** The output, or why the container was not created. */
  const result = (attack: Attack) => pods.outputOf(attack, sandbox).catch(String);
  /** Links to the folder of the secret, as an image can have them. */
  const links = () => [pods.secret, `${'../'.repeat(30)}${pods.secret.slice(1)}`];
  const replace = (folder: string, path: string, target: string) => {
    rmSync(join(folder, path), { recursive: true, force: true });
    mkdirSync(join(folder, path, '..'), { recursive: true });
    symlinkSync(target, join(folder, path));
  };

  it.each(['proc', 'dev', 'sys', 'etc', 'etc/hostname', 'mnt', 'dev/shm', 'sys/fs/cgroup'])(
    'mounts, writes and reads nothing on the host for an image whose /%s is a link that leads out',
    async (path) => {
      const hostPath = join(pods.folder, 'volume');
      mkdirSync(hostPath, { recursive: true });
      const mounts = [
        { hostPath, containerPath: '/mnt' },
        { hostPath, containerPath: '/mnt/made' },
      ];
      const devices = [{ hostPath: '/dev/null', containerPath: '/dev/made/null', permissions: 'rw' }];
      for (const target of links()) {
        const image = await pods.addImage({ prepare: (folder) => replace(folder, path, target) });
        const attack = {
          image: { image },
          mounts,
          devices,
          workingDir: '/mnt/folder',
          script: `cat ${pods.secret}/file /${path}/file; echo ran`,
        };
        const output = await result(attack);
        expect(output).toMatch(/ran$|cannot create the container/m);
        expect(output).not.toContain('secret of the host');
      }
    },
  );

  it('works in no folder of the host for an image whose working folder is a link to a descriptor', async () => {
    const descriptors = Array.from({ length: 9 }, (_, index) => index + 3);
    const prepare = (folder: string) => {
      for (const each of descriptors) replace(folder, `work-${each}`, `/proc/self/fd/${each}`);
    };
    const image = await pods.addImage({ prepare });
    for (const each of descriptors) {
      const script = `cat ${'../'.repeat(40)}${pods.secret.slice(1)}/file; echo ran`;
      const output = await result({ image: { image }, workingDir: `/work-${each}`, script });
      expect(output).toMatch(/ran$|cannot create the container/m);
      expect(output).not.toContain('secret of the host');
    }
  });

  it.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a device without an end', (path: string) => execFileSync('mknod', [path, 'c', '1', '5'])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link to itself', (path: string) => symlinkSync('passwd', path)],
    ['a link to the memory of the agent', (path: string) => symlinkSync('/proc/self/mem', path)],
    ['a file of 64 MiB', (path: string) => writeFileSync(path, Buffer.alloc(64 << 20))],
    ['a file of the host', (path: string) => symlinkSync(`${'../'.repeat(30)}${pods.secret.slice(1)}/file`, path)],
    ['lines without an end', (path: string) => writeFileSync(path, ':'.repeat(5_000_000))],
    ['100,000 users', (path: string) => writeFileSync(path, 'root:x:0:0::/:/bin/sh\n'.repeat(100_000))],
  ])('starts a container or reports why within seconds if /etc/passwd is %s', async (_name, create) => {
    const prepare = (folder: string) => {
      mkdirSync(join(folder, 'etc'));
      create(join(folder, 'etc/passwd'));
      symlinkSync('passwd', join(folder, 'etc/group'));
    };
    const image = await pods.addImage({ prepare, config: { User: 'root:root' } });
    const started = performance.now();
    const output = await result({ image: { image }, script: 'echo ran' });
    expect(output).toMatch(/ran|CRI_|Error/);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('mounts nothing outside of a volume that a container exchanges for a link meanwhile (CVE-2021-30465)', {
    timeout: 240_000,
  }, async () => {
    const [volume, other] = [join(pods.folder, 'shared'), join(pods.folder, 'other')];
    for (const path of [volume, other]) mkdirSync(path);
    const outcome = { created: 0, failed: 0 };
    for (const target of links()) {
      const swapper = await startSwapper(join(volume, 'folder'), target);
      for (let round = 0; round < 4; round++) {
        const mounts = [
          { hostPath: volume, containerPath: '/mnt' },
          { hostPath: other, containerPath: `/mnt/folder/made-${round}` },
          { hostPath: other, containerPath: `/mnt/folder/deep/made-${round}` },
        ];
        await pods.create({ script: 'true', mounts }, sandbox).then(
          async (containerId) => {
            if (!pods.hasProcess(containerId)) return void outcome.failed++;
            outcome.created++;
            const table = readFileSync(`${pods.rootOf(containerId).replace(/root$/, 'mountinfo')}`, 'utf8');
            expect(table).not.toContain(' secret ');
            await pods.runtime.removeContainer({ containerId });
          },
          () => void outcome.failed++,
        );
        expect(readdirSync(pods.secret)).toEqual(['file']);
      }
      expect(await swapper.stop()).toBeGreaterThan(100);
      rmSync(join(volume, 'folder'), { recursive: true, force: true });
    }
    expect(outcome.created).toBeGreaterThan(0);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain('made-');
  });

  it('writes no log through a link or into a pipe in the place of the log, also after a rotation', async () => {
    const logs = join(pods.folder, 'logs');
    const target = join(pods.secret, 'file');
    symlinkSync(target, join(logs, 'link.log'));
    symlinkSync(join(pods.secret, 'new'), join(logs, 'new.log'));
    execFileSync('mkfifo', [join(logs, 'pipe.log')]);
    for (const logPath of ['link.log', 'new.log', 'pipe.log'])
      await expect(pods.create({ script: 'echo escaped', logPath }, sandbox)).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    const containerId = await pods.start({ script: 'sleep 1000', logPath: 'rotated.log' }, sandbox);
    rmSync(join(logs, 'rotated.log'));
    symlinkSync(target, join(logs, 'rotated.log'));
    await expect(pods.runtime.reopenContainerLog({ containerId })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
  });

  it('serves the URL of a command once, and no other', async () => {
    const containerId = await pods.start({ script: 'sleep 1000' }, sandbox);
    const streams = { stdin: false, stdout: true, stderr: true, tty: false };
    const { url } = await pods.runtime.exec({ containerId, cmd: ['cat', '/etc/hostname'], ...streams });
    const dial = (target: string) => dialUpgrade({ target: new URL(target), method: 'POST', headers: openHeaders });
    const guesses = [
      '/',
      '/exec',
      '/exec/',
      url.slice(0, -1),
      `${url}/`,
      url.replace('exec', 'attach'),
      `${url.slice(0, -32)}${'A'.repeat(32)}`,
    ];
    for (const guess of guesses) expect((await dial(new URL(guess, url).href)).socket).toBeUndefined();
    const first = await dial(url);
    expect(first.socket).toBeDefined();
    expect((await dial(url)).socket).toBeUndefined();
    if (first.socket) (await openRemoteCommand(first, streams)).close();
    // 24 random bytes
    expect(new URL(url).pathname).toMatch(/^\/exec\/[\w-]{32}$/);
  });
});
