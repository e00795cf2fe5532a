import { type Clock, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, ImageService } from '@nodeagent/cri-api';
import { coreErrorCodes } from './errors.js';

/** The calls that an image manager makes. */
export type ImageCalls = Pick<ImageService, 'imageStatus' | 'listImages' | 'pullImage'>;

/** The kubelet's `runtimeRequestTimeout`. */
const requestTimeoutMs = 120_000;
/** A kubelet lets a pull take for ever, and with pulls one at a time every pod waits behind it. No pull that gets anywhere takes this long. */
const pullTimeoutMs = 3_600_000;

/**
 * The image service with a deadline for each call, kept here and not left to the runtime: a call that never comes back fails, and the
 * image manager's back-off tries again.
 */
export function boundedImageCalls(service: ImageCalls, clock: Clock): ImageCalls {
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
  return new NodeAgentError(coreErrorCodes.deadlineExceeded, `${name}: the runtime did not answer within ${timeoutMs / 1000} s`, {
    retryable: true,
  });
}
