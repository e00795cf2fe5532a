import { errorCode, NodeAgentError } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';
import type { ContentDescriptor } from '../image/descriptor.js';
import type { BlobStore, BlobWriter } from '../store/blob-store.js';
import type { RegistryClient, RegistryResponse } from './registry-client.js';

/** A connection that breaks after so many bytes has made progress: its attempts are counted from 1 again. */
const progressBytes = 1024 * 1024;

/**
 * Downloads a blob from the first endpoint that has it, and continues where an earlier download ended. The content is verified while it arrives.
 * Rejects with the error of the last endpoint. A full disk removes what was downloaded.
 * @param onOffset - called with the number of bytes after each chunk
 */
export async function fetchBlob(
  clients: readonly RegistryClient[],
  content: ContentDescriptor,
  blobs: BlobStore,
  onOffset: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const writer = await blobs.writer(content);
  try {
    let failure: unknown;
    for (const client of clients) {
      try {
        return await download(client, content, writer, onOffset, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (isFullDisk(error)) throw error;
        failure = error;
      }
    }
    throw failure;
  } catch (error) {
    if (isFullDisk(error)) await writer.discard();
    throw error;
  } finally {
    await writer.close();
  }
}

const isFullDisk = (error: unknown) => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errorCode(error) ?? '');

async function download(
  client: RegistryClient,
  content: ContentDescriptor,
  writer: BlobWriter,
  onOffset: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const isContinued = writer.offset > 0;
  let startOffset = writer.offset;
  const hasProgressed = () => {
    const progressed = writer.offset - startOffset >= progressBytes;
    startOffset = writer.offset;
    return progressed;
  };
  const attempt = async () => {
    if (writer.offset < content.size) await receive(await client.blob(content.digest, writer.offset, signal), content, writer, onOffset);
  };
  await client.retrying(signal, attempt, hasProgressed);
  try {
    await writer.commit();
  } catch (error) {
    // What another endpoint or process left may be what is wrong: the writer begins again.
    if (!isContinued || errorCode(error) !== imageStoreErrorCodes.contentMismatch) throw error;
    await download(client, content, writer, onOffset, signal);
  }
}

async function receive(
  response: RegistryResponse,
  { digest, size }: ContentDescriptor,
  writer: BlobWriter,
  onOffset: (bytes: number) => void,
): Promise<void> {
  const isContinued = response.status === 206 && response.headers['content-range']?.startsWith(`bytes ${writer.offset}-`);
  if (!isContinued && writer.offset > 0) await writer.restart();
  const chunks = response.chunks();
  const announced = Number(response.headers['content-length'] ?? 0);
  if (announced > size - writer.offset) {
    await chunks.return(undefined);
    throw new NodeAgentError(
      imageStoreErrorCodes.contentMismatch,
      `the registry sends ${announced} bytes for the ${size} bytes of ${digest}`,
      {
        details: { digest },
      },
    );
  }
  for await (const chunk of chunks) {
    await writer.write(chunk);
    onOffset(writer.offset);
  }
  if (writer.offset === size) return;
  throw new NodeAgentError(
    imageStoreErrorCodes.registryUnavailable,
    `the download of ${digest} ended after ${writer.offset} of ${size} bytes`,
    {
      retryable: true,
    },
  );
}
