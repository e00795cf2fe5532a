import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@nodeagent/api';
import { parseImageName } from '@nodeagent/api/helpers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageMediaTypes } from '../image/manifest.js';
import type { RegistryEndpoint } from '../registry/endpoint.js';
import { defaultEndpoint } from '../registry/endpoint.js';
import type { RegistryCredentials } from '../registry/token.js';
import { type BlobStore, createBlobStore } from '../store/blob-store.js';
import { createKeyedTurns } from './limited.js';
import { type BlobProgress, pullImage } from './pull-image.js';
import { descriptorOf, startTestRegistry, type TestRegistry, testContent, testImage } from './test-registry.js';

let root: string;
let registry: TestRegistry;
let blobs: BlobStore;
let slept: number[];
let progress: BlobProgress[];
const layers = [randomBytes(3_000_000), Buffer.from('small layer')];
const image = testImage(layers);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'image-store-'));
  registry = await startTestRegistry();
  registry.add('team/app:1', image);
  blobs = createBlobStore(root);
  [slept, progress] = [[], []];
});
afterEach(async () => {
  await registry.stop();
  await rm(root, { recursive: true, force: true });
});

/** Waits a thousandth of the time before a retry. */
const hastyClock: Clock = {
  ...systemClock,
  async sleep(ms, signal) {
    slept.push(ms);
    await systemClock.sleep(ms / 1000, signal);
  },
};

/** Gives up a silent registry, too, after a thousandth of the time: on a busy machine also one that sends. */
const impatientClock: Clock = { ...hastyClock, setTimeout: (callback, ms) => systemClock.setTimeout(callback, ms / 1000) };

interface Overrides {
  clock?: Clock;
  endpoints?: RegistryEndpoint[];
  credentials?: RegistryCredentials;
  signal?: AbortSignal;
  onProgress?: (event: BlobProgress) => void;
}

function pull(reference = 'team/app:1', overrides: Overrides = {}) {
  const name = parseImageName(`${registry.host}/${reference}`);
  return pullImage({
    name,
    endpoints: [defaultEndpoint(name.repository)],
    machine: { os: 'linux', architecture: 'amd64' },
    blobs,
    keep: () => {},
    inTurn: createKeyedTurns(),
    maxDownloads: 3,
    onProgress: (event) => progress.push(event),
    clock: hastyClock,
    random: () => 0.5,
    signal: new AbortController().signal,
    ...overrides,
  });
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => `${error.code}: ${error.message.replaceAll(registry.host, 'HOST')}`,
  );
const blobRequests = () => registry.requests.filter((request) => request.includes('/blobs/'));
const isLayer = (url: string | undefined) => url?.endsWith(image.layers[0]?.digest ?? '') === true;
const storedDigests = async () => (await blobs.list()).sort();
const allDigests = [image.manifest, image.config, ...image.layers].map(({ digest }) => digest).sort();

describe('a pull', () => {
  it('stores manifest, configuration and layers, each requested once, and reports progress', async () => {
    expect(await pull()).toEqual(descriptorOf(image.manifest));
    expect(await storedDigests()).toEqual(allDigests);
    for (const { digest, bytes } of image.layers) expect((await readFile(blobs.path(digest))).equals(bytes)).toBe(true);
    expect(registry.requests).toHaveLength(4);
    const [first] = image.layers;
    const events = progress.filter(({ digest }) => digest === first?.digest);
    expect(events.at(0)).toMatchObject({ state: 'waiting', bytes: 0, size: first?.size });
    expect(events.at(-1)).toMatchObject({ state: 'done', bytes: first?.size });
    expect(events.length).toBeGreaterThan(10);
    expect(await readdir(join(root, 'ingest'))).toEqual([]);
  });

  it('requests only the manifest of an image whose content is there', async () => {
    await pull();
    registry.requests.length = 0;
    await pull(`team/app@${image.manifest.digest}`);
    expect(registry.requests).toEqual([`GET /v2/team/app/manifests/${image.manifest.digest}`]);
    expect(progress.at(-1)?.state).toBe('present');
  });

  it('takes the image of this machine from an index in an index', async () => {
    const platform = { os: 'linux', architecture: 'amd64' };
    const other = {
      ...descriptorOf(image.config),
      mediaType: imageMediaTypes.ociManifest,
      platform: { os: 'linux', architecture: 'arm64' },
    };
    const inner = testContent(imageMediaTypes.ociIndex, {
      schemaVersion: 2,
      manifests: [other, { ...descriptorOf(image.manifest), platform }],
    });
    const outer = testContent(imageMediaTypes.dockerIndex, { schemaVersion: 2, manifests: [{ ...descriptorOf(inner), platform }] });
    registry.add('team/app:multi', image, outer, inner);
    expect(await pull('team/app:multi')).toEqual(descriptorOf(outer));
    expect(await storedDigests()).toEqual([...allDigests, inner.digest, outer.digest].sort());
  });

  it('gives up indexes that are nested too deep', async () => {
    let content = image.manifest;
    for (let depth = 0; depth < 6; depth++) {
      content = testContent(imageMediaTypes.ociIndex, { schemaVersion: 2, manifests: [descriptorOf(content)] });
      registry.contents.set(content.digest, content);
    }
    registry.tags.set('team/app:deep', content);
    expect(await failure(pull('team/app:deep'))).toBe('InvalidManifest: invalid manifest: manifests are nested more than 4 deep');
  });

  it('tries the next endpoint when a mirror fails, and names the registry to mirrors', async () => {
    const dead = { ...defaultEndpoint('127.0.0.1:1/team/app'), namespace: 'example.com' };
    const empty = { ...defaultEndpoint(`${registry.host}/other/app`), namespace: 'example.com' };
    await pull('team/app:1', { endpoints: [dead, empty, defaultEndpoint(`${registry.host}/team/app`)] });
    expect(registry.requests[0]).toBe('GET /v2/other/app/manifests/1?ns=example.com');
    expect(await storedDigests()).toEqual(allDigests);
  });

  it('does not resolve tags at an endpoint that may only be asked for content', async () => {
    const endpoints = [{ ...defaultEndpoint(`${registry.host}/team/app`), canResolve: false }];
    expect(await failure(pull('team/app:1', { endpoints }))).toContain('ImageNotFound: no endpoint');
    expect(registry.requests).toEqual([]);
  });
});

describe('authentication', () => {
  const protect = (accepts: (authorization: string | undefined) => boolean, challenge: string) => {
    registry.misbehave = ({ url, headers, method }, response) => {
      if (url?.startsWith('/token')) {
        response.end(`{"token":"t${registry.requests.length}-${method}","expires_in":300}`);
        return true;
      }
      if (accepts(headers.authorization)) return false;
      response.writeHead(401, { 'www-authenticate': challenge.replaceAll('HOST', registry.host) }).end('{}');
      return true;
    };
  };
  const bearer = 'Bearer realm="http://HOST/token",service="r",scope="repository:team/app:pull"';

  it('gets one token for all requests, anonymously or with a password', async () => {
    protect((authorization) => authorization?.startsWith('Bearer t') === true, bearer);
    await pull();
    expect(registry.requests.filter((request) => request.includes('/token'))).toEqual([
      'GET /token?service=r&scope=repository%3Ateam%2Fapp%3Apull',
    ]);
    registry.requests.length = 0;
    await pull('team/app:1', { credentials: { username: 'u', password: 'p' } });
    expect(registry.requests.filter((request) => request.includes('/token'))).toEqual([
      'GET /token?service=r&scope=repository%3Ateam%2Fapp%3Apull Basic dTpw',
    ]);
  });

  it('exchanges an identity token, and gets another token when one is refused', async () => {
    let isExpired = false;
    protect((authorization) => {
      const isRefused = isExpired && authorization === 'Bearer t2-POST';
      isExpired ||= authorization !== undefined;
      return authorization !== undefined && !isRefused;
    }, bearer);
    await pull('team/app:1', { credentials: { identityToken: 'secret' } });
    const posts = registry.requests.filter((request) => request.startsWith('POST'));
    expect(posts.length).toBe(2);
    expect(await storedDigests()).toEqual(allDigests);
  });

  it('sends a password where a registry demands one, and reports wrong ones at once', async () => {
    protect((authorization) => authorization === 'Basic dTpw', 'Basic realm="r"');
    await pull('team/app:1', { credentials: { username: 'u', password: 'p' } });
    const wrong = pull('team/app:1', { credentials: { username: 'u', password: 'wrong' } });
    expect(await failure(wrong)).toBe('Unauthorized: http://HOST/v2/team/app/manifests/1: unexpected status 401');
    expect(await failure(pull())).toContain('Unauthorized');
    expect(slept).toEqual([]);
  });
});

describe('a registry that fails', () => {
  it('continues a download that breaks, by Range', async () => {
    registry.misbehave = ({ url, headers }, response) => {
      if (!isLayer(url) || headers.range !== undefined) return false;
      const { bytes = Buffer.alloc(0), size = 0 } = image.layers[0] ?? {};
      response.writeHead(200, { 'content-length': size });
      response.write(bytes.subarray(0, 2_000_000), () => response.destroy());
      return true;
    };
    await pull();
    const ranges = blobRequests().filter((request) => request.includes('bytes='));
    expect(ranges.length).toBeGreaterThan(0);
    expect(await storedDigests()).toEqual(allDigests);
  });

  it('continues in another pull what one left, and begins again where the registry has no ranges', async () => {
    const controller = new AbortController();
    const stopped = pull('team/app:1', {
      signal: controller.signal,
      onProgress: ({ bytes, size }) => bytes > 1_000_000 && bytes < size && controller.abort(new Error('stopped')),
    });
    await expect(stopped).rejects.toThrow('stopped');
    registry.misbehave = (request) => {
      delete request.headers.range;
      return false;
    };
    registry.requests.length = 0;
    await pull();
    expect(blobRequests().some((request) => request.includes('bytes='))).toBe(true);
    expect(await storedDigests()).toEqual(allDigests);
  });

  it('waits as long as Retry-After demands', async () => {
    registry.misbehave = (_, response, count) => {
      if (count > 2) return false;
      response.writeHead(429, { 'retry-after': '7' }).end();
      return true;
    };
    await pull();
    expect(slept).toEqual([7000, 7000]);
  });

  it('gives up after six attempts', async () => {
    registry.misbehave = (_, response) => {
      response.writeHead(503).end('{"errors":[{"code":"BUSY","message":"try\\nlater"}]}');
      return true;
    };
    expect(await failure(pull())).toBe('RegistryUnavailable: http://HOST/v2/team/app/manifests/1: unexpected status 503: BUSY: try?later');
    expect(registry.requests).toHaveLength(6);
    expect(slept).toEqual([375, 750, 1500, 3000, 6000]);
  });

  it('reports an unknown image without a retry', async () => {
    expect(await failure(pull('team/app:2'))).toBe(
      'ImageNotFound: http://HOST/v2/team/app/manifests/2: unexpected status 404: MANIFEST_UNKNOWN: manifest unknown',
    );
    expect(slept).toEqual([]);
  });
});

describe('a hostile registry', () => {
  const lie = (of: string, answer: (response: Parameters<NonNullable<TestRegistry['misbehave']>>[1]) => void) => {
    registry.misbehave = ({ url }, response) => {
      if (!url?.includes(of)) return false;
      answer(response);
      return true;
    };
  };
  const layer = image.layers[1]?.digest ?? '';
  const pullImpatiently = () => pull('team/app:1', { clock: impatientClock });

  it.each([
    ['other content of the right size', (size: number) => randomBytes(size), 'ContentMismatch', /has the digest sha256/],
    ['more than the size', (size: number) => randomBytes(size + 1), 'ContentMismatch', /sends \d+ bytes for the \d+ bytes/],
    ['nothing', () => Buffer.alloc(0), 'RegistryUnavailable', /ended after 0 of/],
  ])('that sends %s stores nothing', async (_, bytes, code, message) => {
    lie(layer, (response) => response.end(bytes(image.layers[1]?.size ?? 0)));
    await expect(pull()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await storedDigests()).not.toContain(layer);
  });

  it('that sends without end is cut off', async () => {
    lie(layer, (response) => {
      const send = () => response.write(Buffer.alloc(65_536), (error) => error ?? setImmediate(send));
      send();
    });
    expect(await failure(pull())).toMatch(/^ContentMismatch: the content of sha256:\w+ is longer than its/);
  });

  it.each([
    ['a web page', '<html>login</html>', 'text/html', 'InvalidManifest'],
    ['10 MB', `{"a":"${'x'.repeat(10_000_000)}"}`, imageMediaTypes.ociManifest, 'InvalidManifest'],
    ['an unknown media type', '{"schemaVersion":2,"mediaType":"application/x-evil"}', 'application/x-evil', 'UnsupportedMediaType'],
  ])('that sends %s as a manifest', async (_, text, type, code) => {
    lie('/manifests/', (response) => response.writeHead(200, { 'content-type': type }).end(text));
    expect(await failure(pull())).toContain(`${code}: `);
    expect(await storedDigests()).toEqual([]);
  });

  it('that lies about the digest of a manifest', async () => {
    lie('/manifests/', (response) => response.writeHead(200, { 'docker-content-digest': layer }).end(image.manifest.bytes));
    expect(await failure(pull())).toContain('ContentMismatch: the manifest has the digest');
    expect(await failure(pull(`team/app@${layer}`))).toContain('ContentMismatch: the manifest has the digest');
  });

  it('that hangs, before and within an answer', async () => {
    lie('/manifests/', () => {});
    expect(await failure(pullImpatiently())).toMatch(/RegistryUnavailable: no data from the registry for 60 s/);
    lie(layer, (response) => response.writeHead(200, { 'content-length': image.layers[1]?.size }).write('x'));
    expect(await failure(pullImpatiently())).toMatch(/RegistryUnavailable: no data from the registry for 60 s/);
  });

  it('that redirects in a circle or out of HTTP', async () => {
    lie('/manifests/', (response) => response.writeHead(302, { location: '/v2/team/app/manifests/1' }).end());
    expect(await failure(pull())).toContain('InvalidRegistryResponse: the registry');
    let count = 0;
    lie('/', (response) => response.writeHead(302, { location: `/other/${count++}` }).end());
    expect(await failure(pull())).toContain('InvalidRegistryResponse: the registry');
    expect(count).toBe(11);
    lie('/', (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end());
    expect(await failure(pull())).toContain('InvalidRegistryResponse: the registry');
  });

  it('gets no credentials for another host by a redirect', async () => {
    const other = await startTestRegistry();
    other.add('team/app:1', image);
    registry.misbehave = ({ url, headers }, response) => {
      if (headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end();
      else if (url?.includes('/blobs/')) response.writeHead(307, { location: `http://${other.host}${url}` }).end();
      else return false;
      return true;
    };
    await pull('team/app:1', { credentials: { username: 'u', password: 'p' } });
    expect(other.requests).toHaveLength(3);
    expect(other.requests.join()).not.toContain('Basic');
    await other.stop();
  });

  it('gets no credentials for a token server that another host names', async () => {
    const other = await startTestRegistry();
    other.misbehave = ({ url }, response) => {
      if (url?.startsWith('/token')) response.end('{"token":"t"}');
      else response.writeHead(401, { 'www-authenticate': `Bearer realm="http://${other.host}/token",service="s"` }).end();
      return true;
    };
    registry.misbehave = ({ url, headers }, response) => {
      if (headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end();
      else if (url?.includes('/blobs/')) response.writeHead(307, { location: `http://${other.host}${url}` }).end();
      else return false;
      return true;
    };
    for (const credentials of [
      { username: 'u', password: 'p' },
      { username: 'u', password: 'p', identityToken: 'secret' },
    ])
      expect(await failure(pull('team/app:1', { credentials }))).toContain('Unauthorized');
    expect(other.requests.filter((request) => request.includes('/token'))).toEqual([]);
    await other.stop();
  });

  it('names no query of a redirect in an error: it can be a signature', async () => {
    const other = await startTestRegistry();
    other.misbehave = () => true;
    lie(layer, (response) => response.writeHead(307, { location: `http://${other.host}/blob?Signature=secret` }).end());
    const text = await failure(pullImpatiently());
    expect(text).toContain(`RegistryUnavailable: no data from the registry for 60 s: http://${other.host}/blob`);
    expect(text).not.toContain('secret');
    await other.stop();
  });

  it('cannot spoil the download that another endpoint completes', async () => {
    const { bytes = Buffer.alloc(0), size = 0, digest = '' } = image.layers[0] ?? {};
    registry.misbehave = ({ url }, response) => {
      if (!url?.startsWith('/v2/mirror/')) return false;
      response.writeHead(200, { 'content-length': size });
      response.write(Buffer.alloc(1000), () => response.destroy());
      return true;
    };
    const mirror = { ...defaultEndpoint(`${registry.host}/mirror/app`), canResolve: false };
    await pull('team/app:1', { endpoints: [mirror, defaultEndpoint(`${registry.host}/team/app`)] });
    expect((await readFile(blobs.path(digest))).equals(bytes)).toBe(true);
  });

  it('is left at once when the pull is cancelled', async () => {
    const controller = new AbortController();
    lie('/blobs/', () => setTimeout(() => controller.abort(new Error('enough')), 20));
    const begin = performance.now();
    expect(await failure(pull('team/app:1', { signal: controller.signal }))).toContain('enough');
    expect(performance.now() - begin).toBeLessThan(1000);
    lie('/', (response) => response.writeHead(429, { 'retry-after': '100' }).end());
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(new Error('tired')), 30);
    expect(await failure(pull('team/app:1', { signal: waiting.signal }))).toContain('tired');
  });
});
