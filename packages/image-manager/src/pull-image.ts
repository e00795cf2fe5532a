import { errorMessage, NodeAgentError } from '@nodeagent/api';
import type { ImageService, ImageSpec, PodSandboxConfig } from '@nodeagent/cri-api';
import type { RegistryAuth, TrackedCredential } from './credentials.js';
import { imageErrorCodes } from './errors.js';

/** A pulled image, and the credentials that were used. */
export interface PulledImage {
  imageRef: string;
  used?: TrackedCredential;
}

/** Pulls with each of the credentials in turn until one succeeds; without any, pulls anonymously. Rejects with all failures in one message. */
export async function pullWithCredentials(
  images: Pick<ImageService, 'pullImage'>,
  image: ImageSpec,
  credentials: readonly TrackedCredential[],
  sandboxConfig: PodSandboxConfig | undefined,
  signal?: AbortSignal,
): Promise<PulledImage> {
  if (credentials.length === 0) return { imageRef: (await images.pullImage({ image, sandboxConfig }, { signal })).imageRef };
  const failures: unknown[] = [];
  for (const used of credentials) {
    try {
      return { imageRef: (await images.pullImage({ image, auth: criAuth(used.auth), sandboxConfig }, { signal })).imageRef, used };
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(error);
    }
  }
  throw failures.length === 1 ? failures[0] : new NodeAgentError(imageErrorCodes.errImagePull, aggregated(failures), { cause: failures });
}

/** The e-mail address is not sent to the runtime. */
function criAuth({ email: _, ...auth }: RegistryAuth) {
  return auth;
}

/** Joins the distinct messages as `[a, b]`; a single one is not bracketed. */
function aggregated(errors: readonly unknown[]): string {
  const texts = Array.from(new Set(errors.map(errorMessage)));
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** The waiting reason and message of a failed pull, by the prefix of the runtime's error. */
export function describePullFailure(image: string, text: string): { code: string; message: string } {
  const { registryUnavailable, signatureValidationFailed, errImagePull } = imageErrorCodes;
  if (text.startsWith(registryUnavailable)) {
    const rest = text.slice(registryUnavailable.length);
    return { code: registryUnavailable, message: `image pull failed for ${image} because the registry is unavailable${rest}` };
  }
  if (text.startsWith(signatureValidationFailed)) {
    const rest = text.slice(signatureValidationFailed.length);
    return { code: signatureValidationFailed, message: `image pull failed for ${image} because the signature validation failed${rest}` };
  }
  return { code: errImagePull, message: text };
}
