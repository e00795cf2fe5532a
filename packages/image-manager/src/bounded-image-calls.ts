import { abandonAtDeadline, type Clock, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, ImageService } from '@nodeagent/cri-api';
import { imageErrorCodes } from './errors.js';

/** The CRI ImageService methods that the image manager uses. */
export type ImageCalls = Pick<ImageService, 'imageStatus' | 'listImages' | 'pullImage'>;

/**
 * The image service with a deadline for each call, enforced here and not only by the runtime: a call without a response fails, and is
 * retried after the back-off. With serialized pulls it would block the pulls of all pods.
 */
export function boundedImageCalls(
  service: ImageCalls,
  clock: Pick<Clock, 'setTimeout'>,
  { requestTimeoutMs, pullTimeoutMs }: { requestTimeoutMs: number; pullTimeoutMs: number },
): ImageCalls {
  const bounded =
    <Request, Response>(name: string, timeoutMs: number, call: (request: Request, options: CallOptions) => Promise<Response>) =>
    (request: Request, { signal }: CallOptions = {}): Promise<Response> => {
      const error = () => deadlineExceeded(name, timeoutMs);
      return abandonAtDeadline({ clock, timeoutMs, signal, error }, (limited) => call(request, { signal: limited, timeoutMs }));
    };
  return {
    imageStatus: bounded('ImageStatus', requestTimeoutMs, (request, options) => service.imageStatus(request, options)),
    listImages: bounded('ListImages', requestTimeoutMs, (request, options) => service.listImages(request, options)),
    pullImage: bounded('PullImage', pullTimeoutMs, (request, options) => service.pullImage(request, options)),
  };
}

function deadlineExceeded(name: string, timeoutMs: number): NodeAgentError {
  return new NodeAgentError(imageErrorCodes.deadlineExceeded, `${name}: the runtime did not respond within ${timeoutMs / 1000} s`, {
    retryable: true,
  });
}
