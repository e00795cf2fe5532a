import type { Container } from '@nodeagent/api';
import { fnv1a32 } from '@nodeagent/api/helpers';

const encoder = new TextEncoder();
const escapes: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * Hash of a container's definition: its name and image. A container whose hash changes is restarted. Hexadecimal, as in the annotation
 * `io.kubernetes.container.hash`; equal to the kubelet's hash, so that the agent can adopt containers that a kubelet started.
 */
export function hashContainer(container: Pick<Container, 'name' | 'image'>): string {
  const { name, image = '' } = container;
  const known = hashes.get(container);
  if (known?.name === name && known.image === image) return known.hash;
  const hash = fnv1a32(hashedText({ name, image })).toString(16);
  hashes.set(container, { name, image, hash });
  return hash;
}

/** A cache: every sync of a pod computes the hashes of the same containers. */
const hashes = new WeakMap<object, { name: string; image: string; hash: string }>();

/** The text to hash: the bytes of the JSON of image and name, in decimal. */
function hashedText({ name, image }: { name: string; image: string }): string {
  const json = JSON.stringify({ image, name }).replace(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? char);
  return `([]uint8)[${encoder.encode(json).join(' ')}]`;
}
