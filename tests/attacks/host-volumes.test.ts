import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Pod, type PodSpec, systemClock } from '@nodeagent/api';
import { createFileSource } from '@nodeagent/pod-sources/node';
import { createVolumePlugins, writeAtomically } from '@nodeagent/volume-plugins/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startAttacker } from './attacker.js';
import { runAgent } from './command.js';
import { startMemoryAgent } from './memory-agent.js';
import { createScene, tempFolder } from './scene.js';

/** Sets up a hostPath volume; resolves to the error's message if it fails. */
async function setUpHostPath(path: string, type: string | undefined): Promise<string | undefined> {
  const volume = { name: 'v', hostPath: { path, ...(type !== undefined && { type }) } };
  const plugins = createVolumePlugins({ rootDir: '/nowhere' });
  const plugin = plugins.find(({ canSupport }) => canSupport({ volume, readOnly: false }));
  const mounter = await plugin?.mounter({ volume, readOnly: false }, { metadata: { name: 'p', uid: 'u' } });
  const { signal } = new AbortController();
  return mounter?.setUp({ signal, isRemount: false, reconstructed: false }).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const types = ['', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket', 'CharDevice', 'BlockDevice'];

describe('hostPath', () => {
  it('of each type accepts only its kind, where a pod has put a pipe, a socket, a device or a link, and waits for none of them', async () => {
    const folder = tempFolder();
    const at = (name: string) => join(folder, name);
    mkdirSync(at('folder'));
    writeFileSync(at('file'), 'kept');
    execFileSync(
      'mkfifo',
      Array.from({ length: 8 }, (_, each) => at(`pipe-${each}`)),
    );
    const server = createServer().listen(at('socket'));
    onTestFinished(() => void server.close());
    const links = {
      'to-folder': 'folder',
      'to-file': 'file',
      'to-pipe': 'pipe-0',
      'to-socket': 'socket',
      'to-device': '/dev/null',
      loop: 'loop',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, at(name));
    const kinds: Record<string, readonly string[]> = {
      Directory: ['folder', 'to-folder'],
      DirectoryOrCreate: ['folder', 'to-folder'],
      File: ['file', 'to-file'],
      FileOrCreate: ['file', 'to-file'],
      Socket: ['socket', 'to-socket'],
      CharDevice: ['to-device', '/dev/null'],
      BlockDevice: [],
    };
    const paths = [
      'folder',
      'file',
      'socket',
      '/dev/null',
      ...Object.keys(links),
      ...Array.from({ length: 8 }, (_, each) => `pipe-${each}`),
    ];
    for (const [type, accepted] of Object.entries(kinds)) {
      const checked = paths.map((path) => setUpHostPath(path.startsWith('/') ? path : at(path), type));
      const outcomes = await Promise.all(checked);
      expect({ type, accepted: paths.filter((_, index) => outcomes[index] === undefined) }).toEqual({
        type,
        accepted: paths.filter((path) => accepted.includes(path)),
      });
    }
    expect(await setUpHostPath(at('folder'), 'directory')).toBe('directory is an invalid volume type');
    // A thread that a pipe held would be missing here.
    await Promise.all(Array.from({ length: 8 }, () => stat('/')));
  });

  it('creates what is missing with modes that the umask does not widen, and refuses backsteps', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const folder = tempFolder();
    expect(await setUpHostPath(join(folder, 'a/b'), 'DirectoryOrCreate')).toBeUndefined();
    expect(await setUpHostPath(join(folder, 'a/f'), 'FileOrCreate')).toBeUndefined();
    expect(['a', 'a/b', 'a/f'].map((name) => statSync(join(folder, name)).mode & 0o7777)).toEqual([0o755, 0o755, 0o644]);
    for (const type of types) {
      expect(await setUpHostPath(`${folder}/x/../made`, type)).toContain("must not contain '..'");
    }
    expect([existsSync(join(folder, 'made')), existsSync(join(folder, 'x'))]).toEqual([false, false]);
  });
});

describe('mount propagation', () => {
  const mounts = (mountPropagation: string) => [{ name: 'v', mountPath: '/v', mountPropagation }];
  const podOf = (name: string, mountPropagation: string, privileged?: boolean): Pod => ({
    metadata: { name, namespace: 'default', uid: name },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'host',
          volumeMounts: mounts(mountPropagation) as never,
          ...(privileged !== undefined && { securityContext: { privileged } }),
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
  });

  it('from a container to the host is refused in manifests of containers without privileges', async () => {
    const manifests = tempFolder();
    const pods = [
      podOf('unset', 'Bidirectional'),
      podOf('unprivileged', 'Bidirectional', false),
      podOf('privileged', 'Bidirectional', true),
      podOf('unknown', 'bidirectional', true),
      podOf('from-host', 'HostToContainer'),
    ];
    for (const pod of pods)
      writeFileSync(join(manifests, `${pod.metadata?.name}.json`), JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...pod }));
    const source = createFileSource({ path: manifests, nodeName: 'n' });
    const listed = new Promise<readonly Pod[]>((resolve) => {
      source.onPods = resolve;
    });
    await source.start();
    onTestFinished(() => source.stop());
    expect((await listed).map(({ metadata }) => metadata?.name).sort()).toEqual(['from-host-n', 'privileged-n']);
  });

  it('of an unknown mode reaches the runtime as none', async () => {
    const agent = await startMemoryAgent();
    agent.memory.scriptImage('host', { uid: 0 });
    agent.setPods(['None', 'HostToContainer', 'bidirectional', 'Bidirectional '].map((mode, index) => podOf(`p${index}`, mode)));
    await agent.clock.advance(60_000);
    const seen = agent.memory
      .containers()
      .sort((a, b) => (a.pod < b.pod ? -1 : 1))
      .map(({ config }) => config.mounts?.find(({ containerPath }) => containerPath === '/v')?.propagation);
    expect(seen).toEqual(['PROPAGATION_PRIVATE', 'PROPAGATION_HOST_TO_CONTAINER', 'PROPAGATION_PRIVATE', 'PROPAGATION_PRIVATE']);
  });
});

it('a gitRepo volume starts neither git nor its pod (CVE-2024-10220, CVE-2025-1767)', async () => {
  const folder = tempFolder();
  const seen = join(folder, 'started');
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$@" >> ${seen}\n`, { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  const gitRepo = { repository: join(folder, 'repository'), revision: 'main', directory: '.' };
  const spec: PodSpec = {
    containers: [{ name: 'c', image: 'host', command: ['touch', seen], volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    volumes: [{ name: 'v', gitRepo } as never],
  };
  const agent = await runAgent([{ metadata: { name: 'p' }, spec }]);
  await vi.waitFor(
    async () => expect((await agent.call('describe', 'p')).stdout).toMatch(/FailedMount .*no volume plugin matched/),
    100_000,
  );
  expect(existsSync(seen)).toBe(false);
});

it('a token is never readable by others, even with the umask 000', async () => {
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const { volume } = createScene();
  const script = `
function round() {
  for (const name of fs.readdirSync(args[0])) {
    if (!/^\\.\\.\\d/.test(name)) continue;
    try { if (fs.statSync(args[0] + '/' + name + '/token').mode & 0o077) return true; } catch {}
  }
  return false;
}`;
  const attacker = await startAttacker(script, [volume]);
  let writes = 0;
  for (const end = performance.now() + 700; performance.now() < end; writes++) {
    const token = { data: Buffer.from(`token ${writes}`), mode: 0o600 };
    await writeAtomically({ targetDir: volume, clock: systemClock, payload: new Map([['token', token]]) });
  }
  expect(await attacker.stop()).toBe(0);
  expect(writes).toBeGreaterThan(3);
});
