import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sha256 } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes, openImageStore } from '@nodeagent/image-store';
import { chooseManifests, imageMediaTypes, parseImageConfig, parseManifest, splitDigest } from '@nodeagent/image-store/decisions';
import fc from 'fast-check';
import { tarLayer } from '../../support/images/tar-layer.js';
import { chunkSizes, chunksOf, fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { type Json, jsonText, mutatedJson } from '../generate/json.js';
import { promise, promisePlain, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

const { invalidManifest, unsupportedMediaType, platformNotFound, invalidArchive, unsafeLayer, contentMismatch } = imageStoreErrorCodes;
const machine = { os: 'linux', architecture: 'amd64' };

const layer = 'the content of a layer';
const config = JSON.stringify({ ...machine, variant: 'v2', rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] } });
const descriptor = (mediaType: string, content: string) => ({ mediaType, digest: `sha256:${sha256(content)}`, size: content.length });
const manifest = {
  schemaVersion: 2,
  mediaType: imageMediaTypes.ociManifest,
  config: descriptor(imageMediaTypes.ociConfig, config),
  layers: [descriptor('application/vnd.oci.image.layer.v1.tar', layer)],
};
const manifestText = JSON.stringify(manifest);
const index = {
  schemaVersion: 2,
  mediaType: imageMediaTypes.ociIndex,
  manifests: [
    { ...descriptor(imageMediaTypes.ociManifest, manifestText), platform: machine, annotations: { 'io.containerd.image.name': 'app:1' } },
    { ...descriptor(imageMediaTypes.dockerManifest, config), platform: { os: 'linux', architecture: 'arm', variant: 'v7' } },
  ],
};
const dockerIndex = [{ Config: 'config.json', RepoTags: ['app:1', 'UPPER'], Layers: ['a/layer.tar', 'b/layer.tar'] }];
const documents: Json[] = [manifest, index, JSON.parse(config), dockerIndex];

const blobs = [manifestText, config, layer].map((content) => ({ name: `blobs/sha256/${sha256(content)}`, content }));

/** Archives of both kinds around these texts. */
function archiveOf(kind: 'oci' | 'docker', text: string): Buffer {
  if (kind === 'oci') return tarLayer([{ name: 'oci-layout', content: '{}' }, { name: 'index.json', content: text }, ...blobs]);
  return tarLayer([
    { name: 'config.json', content: config },
    { name: 'a/layer.tar', content: layer },
    { name: 'b/layer.tar', type: 'symlink', target: '../a/layer.tar' },
    { name: 'manifest.json', content: text },
  ]);
}

/** A manifest that was accepted, as a client would write it. */
async function checkManifest(text: string): Promise<void> {
  const parsed = await resultUnless([invalidManifest, unsupportedMediaType], 'parseManifest', () => parseManifest(text));
  if (parsed === undefined) return;
  promisePlain(parsed, 'the manifest');
  const { kind, ...content } = parsed;
  promiseSame(parseManifest(JSON.stringify({ schemaVersion: 2, ...content })), parsed, 'the manifest written again');
  const descriptors = parsed.kind === 'index' ? parsed.manifests : [parsed.config, ...parsed.layers];
  promise(descriptors.length <= 10_001, `${descriptors.length} descriptors`);
  for (const { digest } of descriptors) promise(splitDigest(digest) !== undefined, `the digest ${digest}`);
  if (parsed.kind === 'manifest') return;
  const chosen = await resultUnless([platformNotFound], 'chooseManifests', () => chooseManifests(parsed, machine));
  for (const each of chosen ?? []) promise(parsed.manifests.includes(each), 'a manifest that the index does not have');
}

async function checkConfig(text: string): Promise<void> {
  const parsed = await resultUnless([invalidManifest], 'parseImageConfig', () => parseImageConfig(text, 1));
  if (parsed === undefined) return;
  promisePlain(parsed, 'the configuration');
  promise(parsed.diffIds.length === 1, `${parsed.diffIds.length} layers instead of one`);
  const { platform, diffIds } = parsed;
  promiseSame(
    parseImageConfig(JSON.stringify({ ...platform, rootfs: { diff_ids: diffIds } }), 1),
    parsed,
    'the configuration written again',
  );
}

const codesOfImport = [invalidArchive, invalidManifest, unsupportedMediaType, unsafeLayer, contentMismatch];

/** Imports an archive into a new store. Whatever it is, the store has whole images only, and no other content. */
async function checkArchive(bytes: Buffer, sizes: readonly number[]): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'fuzz-images-'));
  const store = await openImageStore({ root, machine });
  const chunks = async function* () {
    yield* chunksOf(bytes, sizes);
  };
  try {
    const images = (await resultUnless(codesOfImport, 'import', () => store.import(chunks()))) ?? [];
    promiseSame(store.list(), images, 'the images of the store');
    promisePlain(images, 'the images');
    for (const { id } of images) await store.remove(id);
    // Content of an archive that was refused stays until then.
    await store.collectGarbage();
    promiseSame([store.list(), await store.usage()], [[], { usedBytes: 0, usedInodes: 0 }], 'the store without images');
  } finally {
    await store.close();
    await rm(root, { recursive: true });
  }
}

const archive = fc
  .record({ kind: fc.constantFrom('oci' as const, 'docker' as const), text: mutatedJson([index, dockerIndex]) })
  .map(({ kind, text }) => archiveOf(kind, jsonText(text)));
const packed = fc.oneof(archive, mutatedBytes(archive)).map((bytes) => gzipSync(bytes));
/** In gzip, so that kept cases are small. */
const archives = fc.oneof(
  fc.record({ gzip: packed.map(toBase64), isUnpacked: fc.boolean(), sizes: chunkSizes }),
  fc.record({ gzip: mutatedBytes(packed).map(toBase64), isUnpacked: fc.constant(false), sizes: chunkSizes }),
);

export const imageManifests = fuzzTarget({
  name: 'image-manifests',
  promise:
    'manifests and configurations are read to what they write again; an archive gives whole images, or a documented error and no image',
  runs: 1_200,
  inputs: fc.oneof(
    { weight: 3, arbitrary: mutatedJson(documents).map((value) => ({ text: jsonText(value) })) },
    { weight: 1, arbitrary: archives },
  ),
  async check(input: { text: string } | { gzip: string; isUnpacked: boolean; sizes: number[] }) {
    if ('gzip' in input) {
      const bytes = fromBase64(input.gzip);
      return checkArchive(input.isUnpacked ? gunzipSync(bytes) : bytes, input.sizes);
    }
    await checkManifest(input.text);
    await checkConfig(input.text);
  },
});
