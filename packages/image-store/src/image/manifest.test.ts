import { describe, expect, it } from 'vitest';
import { chooseManifests, imageMediaTypes, maxManifestBytes, parseImageConfig, parseManifest } from './manifest.js';

const digest = (character: string) => `sha256:${character.repeat(64)}`;
const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: digest('b'), size: 10 };
const config = { mediaType: imageMediaTypes.ociConfig, digest: digest('a'), size: 2 };
const manifest = { schemaVersion: 2, config, layers: [layer] };
const parse = (value: unknown, given?: string) => parseManifest(typeof value === 'string' ? value : JSON.stringify(value), given);

describe('parseManifest', () => {
  it('parses manifests and indexes of OCI and Docker', () => {
    expect(parse(manifest)).toEqual({ kind: 'manifest', mediaType: imageMediaTypes.ociManifest, config, layers: [layer] });
    const docker = { ...manifest, config: { ...config, mediaType: imageMediaTypes.dockerConfig }, layers: [] };
    expect(parse(docker, imageMediaTypes.dockerManifest)).toMatchObject({ kind: 'manifest', mediaType: imageMediaTypes.dockerManifest });
    const entry = {
      mediaType: imageMediaTypes.ociManifest,
      digest: digest('c'),
      size: 3,
      platform: { os: 'linux', architecture: 'arm64', variant: 'v8' },
    };
    expect(parse({ schemaVersion: 2, manifests: [entry] })).toEqual({
      kind: 'index',
      mediaType: imageMediaTypes.ociIndex,
      manifests: [entry],
    });
    expect(parse(manifest, 'application/json')).toMatchObject({ mediaType: imageMediaTypes.ociManifest });
  });

  it.each([
    ['a web page', '<!doctype html><html></html>', 'InvalidManifest', 'it is not JSON'],
    ['a list', [], 'InvalidManifest', 'must be an object'],
    ['more than 8 MiB', ' '.repeat(maxManifestBytes + 1), 'InvalidManifest', 'content must be at most 8388608 bytes'],
    ['schema 1', { ...manifest, schemaVersion: 1 }, 'InvalidManifest', 'which registries no longer serve'],
    ['no schema', { config, layers: [] }, 'InvalidManifest', 'schemaVersion must be 2'],
    ['an unknown media type', { ...manifest, mediaType: 'text/html' }, 'UnsupportedMediaType', '"text/html" of the manifest'],
    [
      'an artifact',
      { ...manifest, config: { ...config, mediaType: 'application/vnd.cncf.helm.config.v1+json' } },
      'UnsupportedMediaType',
      'of the config',
    ],
    [
      'a digest that is a list of lists',
      { ...manifest, config: { ...config, digest: [[1]] } },
      'InvalidManifest',
      'config.digest must be a text',
    ],
    ['an unknown layer', { ...manifest, layers: [{ ...layer, mediaType: 'application/x-7z' }] }, 'UnsupportedMediaType', 'of the layer'],
    ['index and manifest in one', { ...manifest, manifests: [] }, 'InvalidManifest', 'must not be beside'],
    ['no layers', { schemaVersion: 2, config }, 'InvalidManifest', 'layers must be a list'],
    ['too many layers', { ...manifest, layers: Array(501).fill(layer) }, 'InvalidManifest', 'at most 500'],
    ['a digest that is none', { ...manifest, layers: [{ ...layer, digest: 'sha256:../../etc' }] }, 'InvalidManifest', 'layers[0].digest'],
    ['a negative size', { ...manifest, layers: [{ ...layer, size: -1 }] }, 'InvalidManifest', 'layers[0].size'],
    ['a huge configuration', { ...manifest, config: { ...config, size: 1e9 } }, 'InvalidManifest', 'config.size'],
  ])('refuses %s', (_, value, code, message) => {
    expect(() => parse(value)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it('refuses content that names another media type than the registry', () => {
    const value = { ...manifest, mediaType: imageMediaTypes.ociManifest };
    expect(() => parse(value, imageMediaTypes.ociIndex)).toThrow(/but the registry sent it as/);
  });
});

describe('chooseManifests', () => {
  const entry = (architecture: string, variant?: string) => ({
    mediaType: imageMediaTypes.ociManifest,
    digest: digest('c'),
    size: 1,
    platform: { os: 'linux', architecture, ...(variant && { variant }) },
  });
  const chosen = (machine: string, ...manifests: object[]) =>
    chooseManifests({ manifests: manifests as never }, { os: 'linux', architecture: machine }).map(
      ({ platform }) => platform?.variant ?? platform?.architecture,
    );

  it('prefers the best platform, and entries without one last', () => {
    expect(chosen('arm64', entry('arm', 'v6'), entry('amd64'), entry('arm64', 'v8'), entry('arm', 'v7'))).toEqual(['v8', 'v7', 'v6']);
    expect(chosen('amd64', { ...entry('x'), platform: undefined }, entry('386'), entry('x86_64'))).toEqual(['x86_64', '386', undefined]);
  });

  it('lists the platforms of an image that has no suitable one', () => {
    const refuse = () => chosen('riscv64', entry('amd64'), entry('unknown'), { ...entry('riscv64'), mediaType: 'application/json' });
    expect(refuse).toThrow(
      expect.objectContaining({ code: 'PlatformNotFound', hint: 'It has linux/amd64, linux/unknown, linux/riscv64.' }),
    );
  });
});

describe('parseImageConfig', () => {
  const text = (diffIds: unknown, more = {}) =>
    JSON.stringify({ os: 'linux', architecture: 'amd64', rootfs: { type: 'layers', diff_ids: diffIds }, ...more });
  it('reads platform and layers', () => {
    expect(parseImageConfig(text([digest('d')], { variant: 'v2' }), 1)).toEqual({
      platform: { os: 'linux', architecture: 'amd64', variant: 'v2' },
      diffIds: [digest('d')],
    });
    expect(parseImageConfig('{}', 0).diffIds).toEqual([]);
  });
  it('refuses layers that differ from those of the manifest', () => {
    expect(() => parseImageConfig(text([digest('d')]), 2)).toThrow('must be as many as the 2 layers, not 1');
    expect(() => parseImageConfig(text(['../x']), 1)).toThrow('must be digests');
  });
});
