import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type Clock, NodeAgentError, type Random } from '@nodeagent/api';
import type { ImageName } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import { type ContentDescriptor, invalidManifest, splitDigest } from '../image/descriptor.js';
import { chooseManifests, type ImageManifest, maxIndexDepth, parseImageConfig, parseManifest } from '../image/manifest.js';
import type { ImagePlatform } from '../image/platform.js';
import type { RegistryEndpoint } from '../registry/endpoint.js';
import type { RegistryCredentials } from '../registry/token.js';
import type { BlobStore } from '../store/blob-store.js';
import { fetchBlob } from './fetch-blob.js';
import { forEachLimited } from './limited.js';
import { createRegistryClient, type RegistryClient } from './registry-client.js';

/** How far the download of a layer or of the configuration is. */
export interface BlobProgress {
  digest: string;
  mediaType: string;
  /** `present`: the store has had it before. `done`: it is verified and in the store. */
  state: 'waiting' | 'downloading' | 'present' | 'done';
  /** Bytes that are there. */
  bytes: number;
  /** Bytes in all. */
  size: number;
}

/** The content of an image that is being pulled. */
export interface PulledContent {
  manifest: ImageManifest;
  diffIds: readonly string[];
}

/** What one pull needs. */
export interface PullJob {
  name: ImageName;
  endpoints: readonly RegistryEndpoint[];
  credentials?: RegistryCredentials | undefined;
  machine: ImagePlatform;
  /** Whether the name refers to the manifest for the machine, not to the index that has it. */
  isForPlatform?: boolean;
  blobs: BlobStore;
  /** Called before a blob is written, so that no garbage collection removes it during the pull. */
  keep(digest: string): void;
  /** Runs the downloads of one digest by several pulls one after the other. */
  inTurn(digest: string, signal: AbortSignal, work: () => Promise<void>): Promise<void>;
  maxDownloads: number;
  /** Unpacks the layers, lowest first, each once `arrival` of its digest resolves. */
  unpack?: ((image: PulledContent, arrival: (digest: string) => Promise<void>, signal: AbortSignal) => Promise<unknown>) | undefined;
  onProgress(progress: BlobProgress): void;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
}

/** Where another endpoint follows, an endpoint that does not answer is given up sooner. */
const attemptsBeforeNext = 2;

/**
 * Downloads an image: its index, if there is one, the manifest for this machine, configuration and layers. All of it is in the store once this
 * resolves with the descriptor of the manifest or index that the name will refer to.
 */
export async function pullImage(job: PullJob): Promise<ContentDescriptor> {
  const { endpoints, credentials, clock, random } = job;
  const clients = await Promise.all(
    endpoints.map((endpoint, index) =>
      createRegistryClient({
        endpoint,
        credentials,
        clock,
        random,
        ...(index < endpoints.length - 1 && { maxAttempts: attemptsBeforeNext }),
      }),
    ),
  );
  try {
    return await new Pull(job, clients).run();
  } finally {
    for (const client of clients) client.close();
  }
}

class Pull {
  readonly #job: PullJob;
  readonly #clients: readonly RegistryClient[];

  constructor(job: PullJob, clients: readonly RegistryClient[]) {
    this.#job = job;
    this.#clients = clients;
  }

  async run(): Promise<ContentDescriptor> {
    const { tag, digest } = this.#job.name;
    const root = await this.#manifest(digest || tag);
    const { descriptor, manifest } = await this.#imageOf(root, 0);
    await this.#content(manifest);
    return this.#job.isForPlatform ? descriptor : root.descriptor;
  }

  /** The manifest for this machine. */
  async #imageOf(
    { descriptor, text }: FetchedManifest,
    depth: number,
  ): Promise<{ descriptor: ContentDescriptor; manifest: ImageManifest }> {
    const parsed = parseManifest(text, descriptor.mediaType);
    if (parsed.kind === 'manifest') return { descriptor, manifest: parsed };
    if (depth >= maxIndexDepth) throw invalidManifest('manifests', `are nested more than ${maxIndexDepth} deep`);
    const [best] = chooseManifests(parsed, this.#job.machine);
    if (best === undefined) throw invalidManifest('manifests', 'are empty');
    const { blobs } = this.#job;
    this.#job.keep(best.digest);
    if (await blobs.has(best)) return this.#imageOf({ descriptor: best, text: await blobs.read(best) }, depth + 1);
    const fetched = await this.#manifest(best.digest);
    if (fetched.descriptor.size !== best.size)
      throw invalidManifest('size', `of ${best.digest} is ${best.size}, but it has ${fetched.descriptor.size} bytes`);
    return this.#imageOf(fetched, depth + 1);
  }

  /** Fetches a manifest from the first endpoint that has it, verifies its digest and stores it. */
  async #manifest(reference: string): Promise<FetchedManifest> {
    const isDigest = splitDigest(reference) !== undefined;
    const clients = this.#clients.filter(({ endpoint }) => (isDigest ? endpoint.canPull || endpoint.canResolve : endpoint.canResolve));
    let failure: unknown = noEndpoint(reference);
    for (const client of clients) {
      try {
        const { content, mediaType, digest } = await client.manifest(reference, this.#job.signal);
        const actual = verifyDigest(content, isDigest ? reference : digest);
        const text = content.toString();
        const descriptor = { mediaType: parseManifest(text, mediaType).mediaType, digest: actual, size: content.length };
        this.#job.keep(actual);
        await this.#job.inTurn(actual, this.#job.signal, () => this.#job.blobs.add(descriptor, content));
        return { descriptor, text };
      } catch (error) {
        this.#job.signal.throwIfAborted();
        failure = error;
      }
    }
    throw failure;
  }

  /** Downloads the content, and unpacks each layer as soon as it and those below are there. */
  async #content(manifest: ImageManifest): Promise<void> {
    const arrived = new Set<string>();
    const arrivals = new EventEmitter();
    const add = (digest: string) => {
      arrived.add(digest);
      arrivals.emit(digest);
    };
    const download = (signal: AbortSignal) => this.#blobs(manifest, add, signal);
    const unpack = async (signal: AbortSignal) => {
      const arrival = async (digest: string) => {
        if (!arrived.has(digest)) await once(arrivals, digest, { signal });
      };
      await arrival(manifest.config.digest);
      const { diffIds } = parseImageConfig(await this.#job.blobs.read(manifest.config), manifest.layers.length);
      await this.#job.unpack?.({ manifest, diffIds }, arrival, signal);
    };
    await forEachLimited([download, unpack], 2, this.#job.signal, (work, own) => work(own));
  }

  async #blobs({ config, layers }: ImageManifest, onArrival: (digest: string) => void, signal: AbortSignal): Promise<void> {
    const { blobs, maxDownloads, onProgress, keep, inTurn } = this.#job;
    const unique = [...new Map([config, ...layers].map((content) => [content.digest, content])).values()];
    const clients = this.#clients.filter(({ endpoint }) => endpoint.canPull);
    const report = ({ digest, mediaType, size }: ContentDescriptor, state: BlobProgress['state'], bytes: number) =>
      onProgress({ digest, mediaType, state, bytes, size });
    for (const content of unique) {
      keep(content.digest);
      report(content, 'waiting', 0);
    }
    await forEachLimited(unique, maxDownloads, signal, (content, own) =>
      inTurn(content.digest, own, async () => {
        const isPresent = await blobs.has(content);
        if (!isPresent) {
          if (clients.length === 0) throw noEndpoint(content.digest);
          await fetchBlob(clients, content, blobs, (bytes) => report(content, 'downloading', bytes), own);
        }
        report(content, isPresent ? 'present' : 'done', content.size);
        onArrival(content.digest);
      }),
    );
  }
}

interface FetchedManifest {
  descriptor: ContentDescriptor;
  text: string;
}

const noEndpoint = (reference: string) =>
  new NodeAgentError(imageStoreErrorCodes.imageNotFound, `no endpoint of the registry may be asked for ${reference}`, {
    hint: 'Give an endpoint of hosts.toml the capabilities pull and resolve.',
  });

/** The digest of the content, which must be the expected one if there is one. */
function verifyDigest(content: Uint8Array, expected: string | undefined): string {
  const { algorithm } = splitDigest(expected ?? '') ?? { algorithm: 'sha256' };
  const actual = `${algorithm}:${createHash(algorithm).update(content).digest('hex')}`;
  if (expected === undefined || actual === expected) return actual;
  throw new NodeAgentError(
    imageStoreErrorCodes.contentMismatch,
    `the manifest has the digest ${actual} instead of ${expected.slice(0, 200)}`,
    {
      details: { digest: actual },
    },
  );
}
