import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';
import type { LayerCompression } from '../image/manifest.js';

const options = { chunkSize: 256 * 1024 };
/** Node has it from 22.15 on. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => Duplex };

/** The compression of content that begins with these bytes: by the magic numbers of gzip and zstd. */
export function compressionOf(head: Buffer): LayerCompression {
  if (head.length >= 2 && head.readUInt16BE() === 0x1f8b) return 'gzip';
  return head.length >= 4 && head.readUInt32LE() === 0xfd2fb528 ? 'zstd' : 'none';
}

/**
 * The content of a file, decompressed as its first bytes demand: media types are wrong at times, which containerd accepts. Reading it rejects if the file
 * cannot be read or decompressed.
 */
export async function* decompressedFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    const file = handle.createReadStream({ start: 0, highWaterMark: options.chunkSize, signal });
    const compression = compressionOf(buffer.subarray(0, bytesRead));
    if (compression === 'none') yield* file;
    else if (compression === 'gzip') yield* through(file, zlib.createGunzip(options));
    else yield* createZstdDecompress === undefined ? throughZstd(file) : through(file, createZstdDecompress(options));
  } finally {
    await handle.close();
  }
}

/** The error of one stream destroys the other, whose reader meets it. */
const through = (file: Readable, decoder: Duplex): AsyncIterable<Uint8Array> => pipeline(file, decoder, () => {});

/** By the program zstd. */
async function* throughZstd(file: Readable): AsyncGenerator<Uint8Array> {
  const child = spawn('zstd', ['--decompress', '--stdout', '--quiet', '--no-progress'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exit = once(child, 'close').catch((error) => {
    throw new NodeAgentError(imageStoreErrorCodes.zstdUnavailable, `the layer cannot be decompressed: ${errorMessage(error)}`, {
      hint: 'Install the package zstd, or use Node 22.15 or later.',
    });
  });
  exit.catch(() => {});
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-500);
  });
  pipeline(file, child.stdin, (error) => {
    if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') child.stdout.destroy(error);
  });
  try {
    yield* child.stdout;
    const [code] = (await exit) as [number | null];
    if (code !== 0) throw new NodeAgentError(imageStoreErrorCodes.contentMismatch, `zstd failed with ${code}: ${stderr.trim()}`);
  } finally {
    child.kill('SIGKILL');
  }
}
