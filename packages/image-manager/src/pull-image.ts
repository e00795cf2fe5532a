import { errorMessage, NodeAgentError } from '@nodeagent/api';
import type { ImageService, ImageSpec, PodSandboxConfig } from '@nodeagent/cri-api';
import type { RegistryAuth, TrackedCredential } from './credentials.js';
import { imageErrorCodes } from './errors.js';

/** An image in the runtime, and the login that opened it. */
export interface PulledImage {
  imageRef: string;
  used?: TrackedCredential;
}

/** Pulls with each login in turn until one succeeds, or without one if there is none. Rejects with all failures in one text. */
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

/** The e-mail address is no business of the runtime's. */
function criAuth({ email: _, ...auth }: RegistryAuth) {
  return auth;
}

/** `[a, b]`, each text once; a single one as it is. */
function aggregated(errors: readonly unknown[]): string {
  const texts = Array.from(new Set(errors.map(errorMessage)));
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** What a failed pull is called and told, by the beginning of the runtime's text. */
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
