import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v8FlagsOf } from '../packages/cli/src/v8-flags.js';
import { type PrivateContainerd, startContainerd } from '../tests/support/containerd/containerd.js';
import { provideContainerd } from '../tests/support/containerd/provide-containerd.js';
import { run } from '../tests/support/debian-package.js';
import { type DockerRegistry, provideImageTools, skopeo, startDockerRegistry } from '../tests/support/images/docker-registry.js';
import { createImageLayout } from '../tests/support/images/image-layout.js';

const pullImage = fileURLToPath(new URL('image-pull/pull-image.mjs', import.meta.url));
const layers = 10;
const layerBytes = 20 * 1024 * 1024;
const rounds = 3;
/** Of each file system, which are in memory: the disk would be measured otherwise. */
const diskBytes = 2 * 2 ** 30;

/** Numbers by what they are of. */
type Result = Record<string, number>;

/**
 * Pulls and unpacks an image of ten layers with 200 MB of this machine's programs and libraries from a registry on this machine, by turns with
 * containerd and skopeo, which does not unpack. The daemon of containerd and the process of the library run already.
 */
export async function benchImagePull(report: (line: string) => void): Promise<void> {
  if (process.getuid?.() !== 0 || !provideImageTools(false))
    return report("image pull: not measured, because it needs root and Debian's docker-registry and skopeo");
  const work = mkdtempSync(join(tmpdir(), 'bench-images-'));
  run('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'bench-images', work]);
  let registry: DockerRegistry | undefined;
  const daemons: { daemon: PrivateContainerd; dir: string }[] = [];
  try {
    registry = await startDockerRegistry(join(work, 'registry'));
    const image = `${registry.host}/bench/image:1`;
    const bytes = pushImage(work, image);
    report(`image pull: ${layers} layers of ${layerBytes / 2 ** 20} MiB, ${(bytes / 1e6).toFixed(0)} MB compressed`);
    for (const binaries of provideContainerd(false).found)
      daemons.push({ daemon: await startContainerd(binaries, { rootBytes: diskBytes }), dir: binaries.dir });
    const cases = new Map<string, () => Result>([
      ['nodeagent', () => pullByLibrary(join(work, 'store'), image)],
      ...daemons.map(({ daemon: { name, endpoint }, dir }): [string, () => Result] => {
        // Images of another namespace than that of the CRI, which keeps them.
        const ctr = (...args: string[]) =>
          run(join(dir, 'ctr'), ['--address', endpoint.replace('unix://', ''), '--namespace', 'bench', ...args]);
        return [name, () => pullByContainerd(ctr, image)];
      }),
      ['skopeo copy to a layout', () => copyBySkopeo(join(work, 'copy'), image)],
    ]);
    const results = new Map([...cases.keys()].map((name): [string, Result[]] => [name, []]));
    for (let round = 0; round < rounds; round++) for (const [name, measure] of cases) results.get(name)?.push(measure());
    for (const [name, measured] of results) {
      const fields = Object.keys(measured[0] ?? {});
      report(
        `image pull: ${name}: ${fields.map((field) => `${median(measured.map((each) => each[field] ?? 0)).toFixed(0)} ${field}`).join(', ')}`,
      );
    }
  } finally {
    for (const { daemon } of daemons) await daemon.cleanup();
    await registry?.stop();
    run('umount', [work]);
    rmdirSync(work);
  }
}

/** Pushes an image of files of this machine, and returns the bytes of its compressed layers. */
function pushImage(work: string, image: string): number {
  const options = { encoding: 'latin1', maxBuffer: 2 ** 30 } as const;
  const found = execFileSync(
    'find',
    ['/usr/bin', '/usr/lib', '/usr/share', '-xdev', '-type', 'f', '-size', '-20M', '-printf', '%s %p\\0'],
    options,
  );
  const files = found
    .split('\0')
    .slice(0, -1)
    .map((line) => ({ bytes: Number(line.split(' ', 1)[0]), path: line.slice(line.indexOf(' ') + 1) }));
  // Files from all of the folders are in each layer.
  const stride = Math.max(1, Math.floor(files.reduce((sum, { bytes }) => sum + bytes, 0) / (layers * layerBytes)));
  const chosen = files.filter((_, index) => index % stride === 0);
  const layerOf = (layer: number) => {
    const paths = chosen.filter((_, index) => index % layers === layer).map(({ path }) => path);
    const folders = new Set(paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)).slice(1)));
    return execFileSync('tar', ['--create', '--absolute-names', '--no-recursion', '--null', '--files-from=-'], {
      input: Buffer.from([...folders, ...paths].join('\0'), 'latin1'),
      maxBuffer: 2 ** 30,
    });
  };
  const layout = createImageLayout(join(work, 'layout'));
  layout.add('image', { layers: Array.from({ length: layers }, (_, layer) => ({ tar: layerOf(layer) })) });
  skopeo('copy', '--preserve-digests', '--dest-tls-verify=false', `oci:${layout.folder}:image`, `docker://${image}`);
  const blobs = join(layout.folder, 'blobs/sha256');
  return readdirSync(blobs).reduce((sum, name) => sum + statSync(join(blobs, name)).size, 0);
}

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function pullByLibrary(store: string, image: string): Result {
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', pullImage, store, image, ...v8FlagsOf('run', process.versions.node).atStart],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  rmSync(store, { recursive: true });
  const { pullMs, removeMs, peakMiB } = JSON.parse(stdout);
  return { ms: pullMs, 'ms, removal': removeMs, 'MiB of memory above idle': peakMiB };
}

function pullByContainerd(ctr: (...args: string[]) => void, image: string): Result {
  const ms = timed(() => ctr('image', 'pull', '--plain-http', image));
  return { ms, 'ms, removal': timed(() => ctr('image', 'rm', '--sync', image)) };
}

function copyBySkopeo(folder: string, image: string): Result {
  const ms = timed(() => skopeo('copy', '--src-tls-verify=false', `docker://${image}`, `oci:${folder}:image`));
  rmSync(folder, { recursive: true });
  return { ms };
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
