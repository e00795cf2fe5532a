import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pod, ToolResult } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { createExecCredentialProvider } from '@nodeagent/core/node';
import { createNodeMounter, createSubPaths, formatAndMount } from '@nodeagent/mount-utils';
import { createFileSource } from '@nodeagent/pod-sources/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runAgent } from './command.js';
import { tempFolder } from './scene.js';

const isRoot = process.getuid?.() === 0;

/** Each creates a file if a shell reads it, or is taken for an option or for two words. */
const hostile = [
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned',
  '| touch pwned #',
  '&& touch pwned',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '--help',
  '-c',
  'a b',
  'a\ntouch pwned',
  '$HOME',
  '*',
  '\\',
];

const packagesDir = fileURLToPath(new URL('../../packages/', import.meta.url));

/** The programs of all packages, without tests. */
function* sources(): Iterable<[path: string, text: string]> {
  for (const name of readdirSync(packagesDir)) {
    const folder = join(packagesDir, name, 'src');
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder, { recursive: true }) as string[]) {
      if (!file.endsWith('.ts') || /\.test\.ts$|(^|\/)(test-|fixtures\/)/.test(file)) continue;
      yield [join(name, 'src', file), readFileSync(join(folder, file), 'utf8')];
    }
  }
}

describe('commands, paths and names of manifests and volumes (CVE-2023-3676, CVE-2023-3955, CVE-2023-5528)', () => {
  it('meet no shell: no package calls exec or sets the option shell', () => {
    const starting: string[] = [];
    const shells: string[] = [];
    for (const [path, source] of sources()) {
      const text = source.replaceAll(/^import type [^;]*;$/gm, '');
      if (!/(?:from|\() ?'(?:node:)?child_process'/.test(text)) continue;
      const names = /\{([^{}]*)\}(?: from | = process\.getBuiltinModule\()'node:child_process'/.exec(text)?.[1] ?? 'an unknown import';
      starting.push(path);
      const called = names.split(',').map((each) => each.trim());
      const isAllowed = (name: string) => ['execFile', 'execFileSync', 'fork', 'spawn', ''].includes(name) || name.startsWith('type ');
      shells.push(...called.filter((name) => !isAllowed(name)).map((name) => `${path}: ${name}`));
      if (/\bshell\s*:/.test(text)) shells.push(`${path}: shell`);
    }
    expect(starting.length).toBeGreaterThan(8);
    expect(shells).toEqual([]);
  });

  it('of containers, probes and exec arrive as they are, also through a terminal', async () => {
    const command = ['printf', '%s\\0', ...hostile];
    const pod: Pod = {
      metadata: { name: 'p' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'c',
            image: 'host',
            command: ['sh', '-c', 'printf "%s\\0" "$@" > out; exec sleep 100', 'sh', ...hostile],
            readinessProbe: { exec: { command: ['test', hostile[0] as string, '=', hostile[0] as string] }, periodSeconds: 1 },
          },
        ],
      },
    };
    const folder = tempFolder();
    Object.assign(pod.spec?.containers[0] ?? {}, { workingDir: folder });
    const agent = await runAgent([pod]);
    await vi.waitFor(async () => expect((await agent.call('pods')).stdout).toMatch(/1\/1 +Running/), 100_000);
    const words = (text: string) => text.split('\0').slice(0, -1);
    expect(words(readFileSync(join(folder, 'out'), 'utf8'))).toEqual(hostile);
    const { code, stdout } = await agent.call('exec', 'p', '--', ...command);
    expect([code, words(stdout)]).toEqual([0, hostile]);
    const typed = await agent.callOnTerminal('exec', '-t', 'p', '--', ...command);
    // A terminal ends lines by CR LF.
    expect(words(typed.stdout.replaceAll('\r\n', '\n'))).toEqual(hostile);
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it.skipIf(!isRoot)('of volumes arrive at mount as they are (needs root: mounts)', async () => {
    const root = tempFolder();
    const volume = join(root, 'volume');
    mkdirSync(volume);
    const subPaths = createSubPaths({ mounter: createNodeMounter(), paths: volumePaths(root) });
    onTestFinished(() => subPaths.clean('u', 'v'));
    const before = readdirSync('.');
    for (const name of hostile) {
      const target = await subPaths.prepare({
        pod: { metadata: { name: 'p', uid: 'u' }, spec: { containers: [] } },
        container: { name: 'c' },
        mount: { name: 'v', mountPath: '/m' },
        mountIndex: 0,
        volumePath: volume,
        subPath: name,
      });
      writeFileSync(join(target, 'here'), '');
      expect(existsSync(join(volume, name, 'here'))).toBe(true);
    }
    expect(readdirSync('.')).toEqual(before);
  });

  it('of sources and file system types become neither options nor programs of mount and mkfs', async () => {
    const calls: string[][] = [];
    const run = async (command: string, args: readonly string[]): Promise<ToolResult> => {
      calls.push([command, ...args]);
      return { exitCode: 0, stdout: '', stderr: '' };
    };
    const mounter = createNodeMounter({ run, isRoot: true });
    await expect(mounter.mount({ source: '-odev,suid:/x', target: '/mnt', fsType: 'nfs' })).rejects.toThrow('begins with "-"');
    await expect(mounter.mount({ source: 'server:/x', target: '--bind', fsType: 'nfs' })).rejects.toThrow('begins with "-"');
    await expect(formatAndMount(mounter, { source: '-f', target: '/mnt' })).rejects.toThrow('begins with "-"');
    const program = { source: '/dev/sda', target: '/mnt', fsType: 'x/../../tmp/program' };
    await expect(formatAndMount(mounter, program)).rejects.toThrow('is not the name of a file system type');
    expect(calls).toEqual([]);
  });

  it('of images reach credential plugins by standard input only', async () => {
    const folder = tempFolder();
    const plugin = join(folder, 'plugin');
    const script = `#!${process.execPath}\nconst fs = require('node:fs');\nfs.writeFileSync('${folder}/seen', JSON.stringify([process.argv.slice(2), JSON.parse(fs.readFileSync(0, 'utf8')).image]));\n`;
    writeFileSync(plugin, script, { mode: 0o755 });
    const image = 'r.example/$(touch pwned)';
    const provider = createExecCredentialProvider({
      binDir: folder,
      plugins: [
        {
          name: 'plugin',
          apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
          matchImages: ['r.example'],
          defaultCacheMs: 0,
          args: hostile,
          env: {},
        },
      ],
    });
    await provider.lookup(image, { metadata: { name: 'p', namespace: 'n', uid: 'u' } });
    expect(JSON.parse(readFileSync(join(folder, 'seen'), 'utf8'))).toEqual([hostile, image]);
    expect(readdirSync(folder).sort()).toEqual(['plugin', 'seen']);
  });

  it('of pods, containers and volumes are refused', async () => {
    const manifests = tempFolder();
    const names = [...hostile, '../x', '/etc', '..', 'a/b', 'A', '\u202ea', 'a\u200b', 'ａ'];
    const valid = () => ({
      metadata: { name: 'p' } as Record<string, unknown>,
      spec: {
        containers: [{ name: 'c', image: 'host', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    });
    const place: Record<string, (pod: ReturnType<typeof valid>, name: string) => void> = {
      name: ({ metadata }, name) => Object.assign(metadata, { name }),
      namespace: ({ metadata }, namespace) => Object.assign(metadata, { namespace }),
      uid: ({ metadata }, uid) => Object.assign(metadata, { uid: uid === 'A' ? 'a:b' : uid }),
      container: ({ spec }, name) => Object.assign(spec.containers[0] as object, { name }),
      volume({ spec }, name) {
        Object.assign(spec.volumes[0] as object, { name });
        Object.assign(spec.containers[0]?.volumeMounts[0] as object, { name });
      },
      subPath: ({ spec }, subPath) => Object.assign(spec.containers[0]?.volumeMounts[0] as object, { subPath: `${subPath}/../../x` }),
    };
    let count = 0;
    for (const change of Object.values(place)) {
      for (const name of names) {
        const pod = valid();
        change(pod, name);
        writeFileSync(join(manifests, `${count++}.json`), JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...pod }));
      }
    }
    writeFileSync(join(manifests, 'valid.json'), JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...valid() }));
    const source = createFileSource({ path: manifests, nodeName: 'n' });
    const listed = new Promise<readonly Pod[]>((resolve) => {
      source.onPods = resolve;
    });
    await source.start();
    onTestFinished(() => source.stop());
    expect((await listed).map(({ metadata, spec }) => [metadata, spec?.containers[0]?.name, spec?.volumes?.[0]?.name])).toEqual([
      [expect.objectContaining({ name: 'p-n' }), 'c', 'v'],
    ]);
  });
});
