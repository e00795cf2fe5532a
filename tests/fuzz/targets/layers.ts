import { imageStoreErrorCodes } from '@nodeagent/image-store';
import fc, { type Arbitrary } from 'fast-check';
import { encodeFileName } from '../../../packages/image-store/src/layers/file-name.js';
import { defaultLayerLimits, type LayerStep, rewriteLayer } from '../../../packages/image-store/src/layers/rewrite-layer.js';
import { type TarEntry, tarLayer } from '../../support/images/tar-layer.js';
import { base64Field, chunkSizes, chunksOf, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { promise, promiseSame, resultUnless } from '../promises.js';
import { type StrictEntry, strictEntries } from '../strict-tar.js';
import { fuzzTarget } from '../target.js';

const odd = fc.constantFrom('.', '..', '.wh.', '.wh..wh.plnk', 'n'.repeat(120), '\u00fc');
const element = fc.oneof({ weight: 60, arbitrary: fc.constantFrom('a', 'b') }, { weight: 1, arbitrary: odd });
const elements = fc.array(element, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const path = fc.oneof({ weight: 10, arbitrary: elements }, { weight: 1, arbitrary: elements.map((name) => `/./${name}`) });
const marker = fc.tuple(elements, fc.boolean()).map(([name, isOpaque]) => name.replace(/[^/]*$/, isOpaque ? '.wh..wh..opq' : '.wh.$&'));
const target = fc.oneof(
  { weight: 4, arbitrary: path },
  { weight: 1, arbitrary: fc.constantFrom('/', '/a', '../../b', '..', 't'.repeat(300)) },
);
const format = fc.constantFrom('pax', 'gnu') as Arbitrary<'pax' | 'gnu'>;
const sparse = fc.record({
  format: fc.constantFrom('gnu', 'pax 0.1', 'pax 1.0') as Arbitrary<'gnu' | 'pax 0.1' | 'pax 1.0'>,
  size: fc.constantFrom(2_000, 100_000),
  pieces: fc.constantFrom(
    [],
    [{ offset: 0, data: Buffer.alloc(700, 'x') }],
    [
      { offset: 512, data: Buffer.alloc(5, 'y') },
      { offset: 1_200, data: Buffer.alloc(800, 'z') },
    ],
  ),
});
const xattrs = fc.constantFrom<Record<string, Buffer>>(
  {},
  { 'user.a': Buffer.from([0, 10, 255]) },
  { 'trusted.overlay.opaque': Buffer.from('y'), 'user.overlay.redirect': Buffer.from('/etc') },
);
const one = <T>(value: T) => fc.constant(value);
const entry: Arbitrary<TarEntry> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ name: path, type: one('folder' as const), format, xattrs }) },
  { weight: 3, arbitrary: fc.record({ name: path, type: one('symlink' as const), target, format }) },
  { weight: 2, arbitrary: fc.record({ name: path, content: fc.constantFrom('', 'content', 'x'.repeat(600)), format, xattrs }) },
  { weight: 2, arbitrary: fc.record({ name: marker, format }) },
  { weight: 1, arbitrary: fc.record({ name: path, type: one('link' as const), target, format }) },
  { weight: 1, arbitrary: fc.record({ name: path, type: fc.constantFrom('char' as const, 'fifo' as const), format }) },
  { weight: 1, arbitrary: fc.record({ name: path, sparse, format }) },
);
const archives = fc.array(entry, { maxLength: 10 }).map(tarLayer);

/** With the checksums of all headers, without which a change would end the archive. */
function withChecksums(archive: Buffer): Buffer {
  for (let at = 0; at + 512 <= archive.length; at += 512) {
    const block = archive.subarray(at, at + 512);
    if (block.toString('latin1', 257, 262) !== 'ustar') continue;
    block.fill(0x20, 148, 156);
    block.write(
      block
        .reduce((total, byte) => total + byte, 0)
        .toString(8)
        .padStart(6, '0'),
      148,
    );
  }
  return archive;
}

/** The files that the steps make, as tar(1) and a removal make them; each in a real folder. */
class Disk {
  readonly #files = new Map<string, string>([['', 'folder']]);

  make({ type, name, linkName, device, records }: StrictEntry): void {
    const path = this.#inFolder(name === '.' ? '' : name);
    for (const element of path.split('/')) promise(!element.startsWith('.wh.'), `the whiteout ${name} as a file`);
    for (const key of records.keys()) promise(!/^SCHILY\.xattr\.\w+\.overlay\./.test(key), `the attribute ${key}`);
    const before = this.#files.get(path);
    if (type === '5') {
      if (before !== 'folder') this.#files.set(path, 'folder');
      return;
    }
    promise(before !== 'folder' || !this.#below(path).length, `${name} in place of a folder with content`);
    if (type === '3' && /^[0\0 ]*$/.test(device)) this.#files.set(path, 'whiteout');
    else if (type === '1') {
      const linked = this.#files.get(this.#inFolder(linkName));
      promise(linked !== undefined && linked !== 'folder', `${name} is a hard link to ${linkName}: ${linked}`);
      this.#files.set(path, linked);
    } else this.#files.set(path, type === '2' ? 'link' : 'file');
  }

  remove(path: string): void {
    promiseSame(this.#files.get(this.#inFolder(path)), 'folder', `what is removed at ${path}`);
    for (const each of [path, ...this.#below(path)]) this.#files.delete(each);
  }

  mark(path: string): void {
    promiseSame(this.#files.get(this.#inFolder(path)), 'folder', `what is opaque at ${path}`);
  }

  /** The path, whose folders must be there. */
  #inFolder(path: string): string {
    const elements = path === '' ? [] : path.split('/');
    for (const [index, element] of elements.entries()) {
      promise(!['', '.', '..'].includes(element), `the name ${JSON.stringify(path)}`);
      promiseSame(this.#files.get(elements.slice(0, index).join('/')), 'folder', `on the way to ${path}`);
    }
    return path;
  }

  #below = (path: string) => [...this.#files.keys()].filter((each) => each.startsWith(path === '' ? '' : `${path}/`) && each !== path);
}

async function stepsOf(chunks: Buffer[]): Promise<LayerStep[]> {
  const steps: LayerStep[] = [];
  const source = (async function* () {
    yield* chunks;
  })();
  for await (const step of rewriteLayer(source, async () => undefined, defaultLayerLimits, { usedBytes: 0, usedInodes: 0 }))
    steps.push(step);
  return steps;
}

/** With another digit in a size, an offset or a record. */
const archivesThatLie = fc.tuple(archives, fc.nat(1_000), fc.constantFrom(...'0123456789')).map(([archive, nth, digit]) => {
  const digits = [...archive.keys()].filter((at) => (archive[at] ?? 0) > 0x30 && (archive[at] ?? 0) <= 0x39);
  if (digits.length > 0) archive.write(digit, digits[nth % digits.length] ?? 0);
  return withChecksums(archive);
});

export const layers = fuzzTarget({
  name: 'layers',
  promise:
    'the archive of a layer becomes one that every reader understands alike, of which no name leads through a link or out of its folder, or UnsafeLayer',
  runs: 3_000,
  inputs: fc.record({
    bytes: fc.oneof(archives, archivesThatLie, mutatedBytes(archives).map(withChecksums), mutatedBytes(archives)).map(toBase64),
    sizes: chunkSizes,
  }),
  content: base64Field('bytes'),
  async check({ bytes, sizes }) {
    const archive = Buffer.from(bytes, 'base64');
    const steps = await resultUnless([imageStoreErrorCodes.unsafeLayer], 'rewriteLayer', () => stepsOf(chunksOf(archive, sizes)));
    if (steps === undefined) return;
    const disk = new Disk();
    let written: Buffer[] = [];
    const finish = () => {
      for (const each of strictEntries(Buffer.concat(written))) disk.make(each);
      written = [];
    };
    for (const step of steps) {
      if (step.kind === 'archive') {
        written.push(step.bytes);
        continue;
      }
      finish();
      const path = encodeFileName(step.path).toString('latin1');
      if (step.kind === 'remove') disk.remove(path);
      else disk.mark(path);
    }
    finish();
  },
});
