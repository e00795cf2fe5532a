import { abandonAtDeadline, type Clock, NodeAgentError } from '@nodeagent/api';
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
  return new NodeAgentError(imageErrorCodes.deadlineExceeded, `${name}: the runtime did not answer within ${timeoutMs / 1000} s`, {
    retryable: true,
  });
}
