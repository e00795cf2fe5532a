import { NodeAgentError } from '@nodeagent/api';
import { isObject, quoteText } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import type { ImagePlatform } from './platform.js';

/** What refers to content: OCI image specification, "Descriptors". */
export interface ContentDescriptor {
  mediaType: string;
  /** `sha256:...`, `sha384:...` or `sha512:...`. */
  digest: string;
  /** Bytes. */
  size: number;
  platform?: ImagePlatform;
  annotations?: Readonly<Record<string, string>>;
}

const hexLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** The algorithm and the hexadecimal part of a digest; undefined if the text is not a digest of a supported algorithm. */
export function splitDigest(text: string): { algorithm: string; hex: string } | undefined {
  const [, algorithm = '', hex = ''] = /^(sha256|sha384|sha512):([a-f0-9]+)$/.exec(text) ?? [];
  return hex.length === hexLengths[algorithm] ? { algorithm, hex } : undefined;
}

/** An error about a field of a manifest or of an image configuration. */
export function invalidManifest(field: string, rule: string): NodeAgentError {
  return new NodeAgentError(imageStoreErrorCodes.invalidManifest, `invalid manifest: ${field} ${rule}`, { details: { field } });
}

/** Checks a descriptor of a manifest. Throws `InvalidManifest` naming the field. */
export function parseDescriptor(value: unknown, field: string): ContentDescriptor {
  if (!isObject(value)) throw invalidManifest(field, 'must be an object');
  const { mediaType, digest, size, platform, annotations } = value;
  if (typeof mediaType !== 'string' || mediaType === '') throw invalidManifest(`${field}.mediaType`, 'must be a text');
  if (typeof digest !== 'string') throw invalidManifest(`${field}.digest`, 'must be a text');
  if (splitDigest(digest) === undefined) {
    throw invalidManifest(`${field}.digest`, `must be a digest such as sha256:..., not ${quoteText(digest.slice(0, 100))}`);
  }
  if (!Number.isSafeInteger(size) || (size as number) < 0) throw invalidManifest(`${field}.size`, 'must be a number of bytes');
  return {
    mediaType,
    digest,
    size: size as number,
    ...(isObject(platform) && { platform: parsePlatformFields(platform, `${field}.platform`) }),
    ...(isObject(annotations) && { annotations: textsOf(annotations) }),
  };
}

function parsePlatformFields(value: Record<string, unknown>, field: string): ImagePlatform {
  const { os, architecture, variant } = value;
  if (typeof os !== 'string' || typeof architecture !== 'string') throw invalidManifest(field, 'must have os and architecture');
  return { os, architecture, ...(typeof variant === 'string' && variant !== '' && { variant }) };
}

const textsOf = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
