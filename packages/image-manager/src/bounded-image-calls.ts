import { type Clock, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, ImageService } from '@nodeagent/cri-api';
import { imageErrorCodes } from './errors.js';

/** The calls that an image manager makes. */
export type ImageCalls = Pick<ImageService, 'imageStatus' | 'listImages' | 'pullImage'>;

/**
 * The image service with a deadline for each call, kept here and not left to the runtime: a call that never comes back fails, and the
 * back-off tries again. With pulls one at a time every pod would wait behind it.
 */
export function boundedImageCalls(
  service: ImageCalls,
  clock: Pick<Clock, 'setTimeout'>,
  { requestTimeoutMs, pullTimeoutMs }: { requestTimeoutMs: number; pullTimeoutMs: number },
): ImageCalls {
  const bounded =
    <Request, Response>(name: string, timeoutMs: number, call: (request: Request, options: CallOptions) => Promise<Response>) =>
    async (request: Request, { signal }: CallOptions = {}): Promise<Response> => {
      signal?.throwIfAborted();
      const controller = new AbortController();
      const abort = () => controller.abort(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      const timer = clock.setTimeout(() => controller.abort(deadlineExceeded(name, timeoutMs)), timeoutMs);
      const cutShort = new Promise<never>((_resolve, reject) => {
        controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
      });
      try {
        return await Promise.race([cutShort, call(request, { signal: controller.signal, timeoutMs })]);
      } finally {
        timer.cancel();
        signal?.removeEventListener('abort', abort);
      }
    };
  return {
    imageStatus: bounded('ImageStatus', requestTimeoutMs, (request, options) => service.imageStatus(request, options)),
    listImages: bounded('ListImages', requestTimeoutMs, (request, options) => service.listImages(request, options)),
    pullImage: bounded('PullImage', pullTimeoutMs, (request, options) => service.pullImage(request, options)),
  };
}

function deadlineExceeded(name: string, timeoutMs: number): NodeAgentError {
  return new NodeAgentError(imageErrorCodes.deadlineExceeded, `${name}: the runtime did not answer within ${timeoutMs / 1000} s`, {
    retryable: true,
  });
}
