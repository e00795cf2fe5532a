import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ContainerConfig, Mount } from '@nodeagent/cri-api';
import { createCriClient } from '@nodeagent/cri-client';
import { beforeAll, expect, it } from 'vitest';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { buildBusyboxImage } from '../support/containerd/busybox-image.js';
import { listIfThere } from '../support/if-there.js';
import { type DockerRegistry, provideImageTools, skopeo, startDockerRegistry } from '../support/images/docker-registry.js';
import { removeFolder } from '../support/remove-folder.js';
import { describeOnOci } from '../support/runtimes/describe-on-runtimes.js';
import type { PrivateRuntime, TestRuntime } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const required = process.env.NODEAGENT_E2E === 'required';
const hasTools = provideImageTools(required && process.getuid?.() === 0);
if (!hasTools) console.log("skipped: pods from images of a registry, because they need Debian's docker-registry and skopeo");

/** A line of `htpasswd -B` for the user `robot` with the password `secret`. */
const htpasswd = 'robot:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n';
const namespaceOptions = { pid: 'CONTAINER' } as const;
const rounds = process.env.NODEAGENT_E2E_OCI === 'all' ? 50 : 8;
const containersAtOnce = 4;

/** Pods from images of a real registry, by the CRI's calls over a socket. */
function podsFromImagesSuite(testRuntime: TestRuntime): void {
  let work: string;
  let registry: DockerRegistry;
  let runtime: PrivateRuntime;
  let cri: ReturnType<typeof createCriClient>;
  const image = () => `${registry.host}/team/app:1`;
  const auth = { username: 'robot', password: 'secret' };

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-oci-images-'));
    buildBusyboxImage(join(work, 'image'), 'app', ['sh', '-c', 'echo started; sleep 1000']);
    writeFileSync(join(work, 'htpasswd'), htpasswd);
    registry = await startDockerRegistry(join(work, 'registry'), { auth: { htpasswd: { realm: 'test', path: join(work, 'htpasswd') } } });
    skopeo('copy', '--dest-creds=robot:secret', '--dest-tls-verify=false', `oci:${join(work, 'image/oci')}`, `docker://${image()}`);
    runtime = await testRuntime.start();
    cri = createCriClient({ endpoint: runtime.endpoint });
  });
  cleanUpAfterAll({
    'the CRI client': () => cri?.close(),
    'the runtime': () => runtime?.cleanup(),
    'the registry': () => registry?.stop(),
    'the folder': () => removeFolder(work),
  });

  const state = () => join(dirname(runtime.endpoint.replace('unix://', '')), 'root');
  async function runSandbox(name: string): Promise<string> {
    const logDirectory = join(work, 'logs', name);
    mkdirSync(logDirectory, { recursive: true });
    const metadata = { name, namespace: 'default', uid: name, attempt: 0 };
    const config = { metadata, hostname: name, logDirectory, linux: { securityContext: { namespaceOptions } } };
    return (await cri.runtime.runPodSandbox({ config })).podSandboxId;
  }
  async function start(podSandboxId: string, imageRef: string, name: string, more: ContainerConfig = {}): Promise<string> {
    const base = { metadata: { name, attempt: 0 }, image: { image: imageRef }, logPath: `${name}.log` };
    const config = { ...base, linux: { securityContext: { namespaceOptions } }, ...more };
    const { containerId } = await cri.runtime.createContainer({ podSandboxId, config });
    await cri.runtime.startContainer({ containerId });
    return containerId;
  }
  /** What sandboxes and containers have on the machine. */
  function found() {
    const folders = ['sandboxes', 'containers', 'runtime', 'exits', 'images/mounts'];
    const names = (path: string) => readdirSync(path, { recursive: true }).map(String).sort();
    return {
      folders: Object.fromEntries(folders.map((folder) => [folder, listIfThere(join(state(), folder))])),
      images: names(join(state(), 'images')).filter((name) => name !== 'mounts'),
      mounts: readFileSync('/proc/self/mountinfo', 'utf8')
        .split('\n')
        .filter((line) => line.includes(state())).length,
      descriptors: listIfThere('/proc/self/fd').length,
    };
  }

  it('are pulled with credentials only', async () => {
    await expect(cri.image.pullImage({ image: { image: image() } })).rejects.toMatchObject({ code: 'CRI_PERMISSION_DENIED' });
    const { imageRef } = await cri.image.pullImage({ image: { image: image() }, auth });
    const status = await cri.image.imageStatus({ image: { image: image() } });
    expect(status.image).toMatchObject({ id: imageRef, repoTags: [image()], repoDigests: [expect.stringMatching(/team\/app@sha256:/)] });
    expect((await cri.image.imageFsInfo({})).imageFilesystems[0]?.usedBytes?.value).toBeGreaterThan(1_000_000n);
  });

  it('run, write logs, execute commands, and leave nothing', async () => {
    const before = found();
    const { imageRef } = await cri.image.pullImage({ image: { image: image() }, auth });
    const sandbox = await runSandbox('web');
    const mounts: Mount[] = [{ containerPath: '/model', readonly: true, image: { image: imageRef }, imageSubPath: 'etc' }];
    const container = await start(sandbox, imageRef, 'main', { mounts });
    await until('the log', async () => readFileSync(join(work, 'logs/web/main.log'), 'utf8').includes('stdout F started'));
    const cmd = ['sh', '-c', 'hostname; cat /model/group; echo > /model/new; touch /own; ls /home; ip -o -4 addr show eth0'];
    const { stdout, stderr, exitCode } = await cri.runtime.execSync({ containerId: container, cmd, timeout: 10n });
    const { status } = await cri.runtime.podSandboxStatus({ podSandboxId: sandbox });
    expect(Buffer.from(stdout).toString()).toMatch(/^web\nroot:x:0:\nnogroup:x:65534:\n/);
    expect(Buffer.from(stdout).toString()).toContain(status?.network?.ip);
    expect([exitCode, Buffer.from(stderr).toString()]).toEqual([
      0,
      expect.stringMatching(/Read-only file system[\s\S]*\/home: No such file/),
    ]);
    const { stats } = await cri.runtime.containerStats({ containerId: container });
    expect(stats?.writableLayer?.inodesUsed?.value).toBeGreaterThan(1n);
    await cri.runtime.stopPodSandbox({ podSandboxId: sandbox });
    await cri.runtime.removePodSandbox({ podSandboxId: sandbox });
    expect(found()).toMatchObject({ ...before, descriptors: expect.any(Number) });
  });

  it(`leave no mounts, files, descriptors and folders after ${rounds * containersAtOnce} containers`, { timeout: 300_000 }, async () => {
    const { imageRef } = await cri.image.pullImage({ image: { image: image() }, auth });
    const sandbox = await runSandbox('many');
    const round = (number: number) =>
      Promise.all(
        Array.from({ length: containersAtOnce }, async (_, index) => {
          const container = await start(sandbox, imageRef, `c${index}-${number}`, { logPath: '' });
          await cri.runtime.removeContainer({ containerId: container });
        }),
      );
    await round(0);
    const before = found();
    for (let number = 1; number <= rounds; number++) await round(number);
    const after = found();
    expect(after).toMatchObject({ ...before, descriptors: expect.any(Number) });
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 10);
    await cri.runtime.stopPodSandbox({ podSandboxId: sandbox });
    await cri.runtime.removePodSandbox({ podSandboxId: sandbox });
  });

  it('are removed with their layers', async () => {
    await cri.image.removeImage({ image: { image: image() } });
    expect((await cri.image.imageStatus({ image: { image: image() } })).image).toBeUndefined();
    await expect(start(await runSandbox('late'), image(), 'main')).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
  });
}

if (hasTools || required) describeOnOci('pods from images of a registry', podsFromImagesSuite, { alwaysOnOci: true });
