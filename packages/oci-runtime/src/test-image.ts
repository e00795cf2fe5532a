import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What an image of a test has. */
export interface TestImageOptions {
  /** Texts by path; a value that begins with `->` is the target of a symbolic link. */
  files?: Readonly<Record<string, string>>;
  /** Programs of this machine, with their libraries. Default: `sh`, `cat`, `id`, `sleep`, `ls`. */
  programs?: readonly string[];
  /** `config` of the image configuration. */
  config?: object;
  /** Changes the folder of the files before it becomes the layer. */
  prepare?(folder: string): void;
}

interface Content {
  mediaType: string;
  digest: string;
  size: number;
  bytes: Buffer;
}

/** An image of one layer. */
export interface TestImage {
  manifest: Content;
  config: Content;
  layer: Content;
}

const mediaType = (kind: string) => `application/vnd.oci.image.${kind}`;

function content(type: string, value: Buffer | object): Content {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  return { mediaType: type, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length, bytes };
}

const withoutBytes = ({ bytes: _bytes, ...descriptor }: Content) => descriptor;

export function testImage({
  files = {},
  programs = ['sh', 'cat', 'id', 'sleep', 'ls'],
  config = {},
  prepare,
}: TestImageOptions): TestImage {
  const layer = content(mediaType('layer.v1.tar'), tarOf(files, programs, prepare));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const rootfs = { type: 'layers', diff_ids: [layer.digest] };
  const configuration = content(mediaType('config.v1+json'), { os: 'linux', architecture, rootfs, config });
  const type = mediaType('manifest.v1+json');
  const manifest = { schemaVersion: 2, mediaType: type, config: withoutBytes(configuration), layers: [withoutBytes(layer)] };
  return { manifest: content(type, manifest), config: configuration, layer };
}

function tarOf(files: Readonly<Record<string, string>>, programs: readonly string[], prepare?: (folder: string) => void): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'test-image-'));
  chmodSync(folder, 0o755);
  const place = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  try {
    for (const name of programs) {
      const path = execFileSync('which', [name], { encoding: 'utf8' }).trim();
      copyFileSync(realpathSync(path), place(`bin/${name}`));
      for (const library of librariesOf(path)) copyFileSync(realpathSync(library), place(library));
    }
    for (const [path, text] of Object.entries(files)) {
      if (text.startsWith('->')) symlinkSync(text.slice(2), place(path));
      else writeFileSync(place(path), text);
    }
    prepare?.(folder);
    const asRoot = ['--owner=0', '--group=0', '--mtime=@0', '--sort=name'];
    return execFileSync('tar', ['--create', ...asRoot, '-C', folder, '.'], { maxBuffer: 2 ** 30 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** None for a program that is linked statically. */
function librariesOf(path: string): string[] {
  try {
    const output = execFileSync('ldd', [path], { encoding: 'utf8', stdio: 'pipe' });
    return [...output.matchAll(/(\/\S+) \(0x/g)].flatMap(([, library]) => library ?? []);
  } catch {
    return [];
  }
}

/** A registry on 127.0.0.1. */
export interface TestRegistry {
  /** `127.0.0.1:PORT`. */
  host: string;
  /** Offers an image as `NAME:1`. */
  add(name: string, image: TestImage): void;
  close(): Promise<void>;
}

/** @param login - `user:password` that it demands. Default: none */
export async function startTestRegistry(login?: string): Promise<TestRegistry> {
  const found = new Map<string, Content>();
  const server = createServer(({ url = '', headers }, response) => {
    const wanted = `Basic ${Buffer.from(login ?? '').toString('base64')}`;
    if (login !== undefined && headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
      return;
    }
    const item = found.get(url.replace('/v2/', '')) ?? found.get(url.split('/').at(-1) ?? '');
    if (item === undefined) response.writeHead(404, { 'content-type': 'application/json' }).end('{"errors":[]}');
    else response.writeHead(200, { 'content-type': item.mediaType, 'content-length': item.size }).end(item.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(name, { manifest, config, layer }) {
      found.set(`${name}/manifests/1`, manifest);
      for (const each of [manifest, config, layer]) found.set(each.digest, each);
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
