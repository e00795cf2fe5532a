import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { imageMediaTypes } from '../image/manifest.js';

/** Content with its descriptor. */
export interface TestContent {
  mediaType: string;
  digest: string;
  size: number;
  bytes: Buffer;
}

/** An image of a test: all its content. */
export interface TestImage {
  manifest: TestContent;
  config: TestContent;
  layers: TestContent[];
}

const sha256Digest = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export function testContent(mediaType: string, value: Buffer | object): TestContent {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  return { mediaType, digest: sha256Digest(bytes), size: bytes.length, bytes };
}

export const descriptorOf = ({ mediaType, digest, size }: TestContent) => ({ mediaType, digest, size });

/** An image of these uncompressed layers, which are stored compressed. */
export function testImage(layers: Buffer[], more: object = {}): TestImage {
  const stored = layers.map((layer) => testContent('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(layer, { level: 1 })));
  const rootfs = { type: 'layers', diff_ids: layers.map(sha256Digest) };
  const config = testContent(imageMediaTypes.ociConfig, { os: 'linux', architecture: 'amd64', rootfs, ...more });
  const manifest = testContent(imageMediaTypes.ociManifest, {
    schemaVersion: 2,
    mediaType: imageMediaTypes.ociManifest,
    config: descriptorOf(config),
    layers: stored.map(descriptorOf),
  });
  return { manifest, config, layers: stored };
}

/** Answers a request instead of the registry; false leaves it to the registry. */
type Misbehave = (request: IncomingMessage, response: ServerResponse, count: number) => boolean | undefined;

/** A registry for tests, on 127.0.0.1. */
export interface TestRegistry {
  /** `127.0.0.1:PORT`. */
  host: string;
  /** `GET /v2/...` of all requests so far, with `range` and `authorization` where they had these. */
  requests: string[];
  tags: Map<string, TestContent>;
  contents: Map<string, TestContent>;
  /** The requests that it serves in another way. */
  misbehave: Misbehave | undefined;
  add(repositoryTag: string, image: TestImage, ...more: TestContent[]): void;
  stop(): Promise<void>;
}

/** Starts a registry that serves manifests, blobs and ranges of them. */
export async function startTestRegistry(): Promise<TestRegistry> {
  const tags = new Map<string, TestContent>();
  const contents = new Map<string, TestContent>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { range, authorization } = request.headers;
    requests.push([request.method, request.url, range, authorization].filter((part) => part !== undefined).join(' '));
    response.on('error', () => {});
    if (registry.misbehave?.(request, response, requests.length) === true) return;
    serve(request.url ?? '', range, response);
  });
  const serve = (url: string, range: string | undefined, response: ServerResponse) => {
    const [, repository = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^?]+)/.exec(url) ?? [];
    const found = contents.get(reference) ?? (kind === 'manifests' ? tags.get(`${repository}:${reference}`) : undefined);
    if (found === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const headers = {
      'content-type': kind === 'manifests' ? found.mediaType : 'application/octet-stream',
      'docker-content-digest': found.digest,
    };
    response.writeHead(from > 0 ? 206 : 200, {
      ...headers,
      'content-length': found.size - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${found.size - 1}/${found.size}` }),
    });
    response.end(found.bytes.subarray(from));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const registry: TestRegistry = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    tags,
    contents,
    misbehave: undefined,
    add(repositoryTag, image, ...more) {
      tags.set(repositoryTag, more[0] ?? image.manifest);
      for (const content of [image.manifest, image.config, ...image.layers, ...more]) contents.set(content.digest, content);
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return registry;
}
