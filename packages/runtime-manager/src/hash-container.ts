import { type Container, fnv1a32 } from '@nodeagent/api';

const encoder = new TextEncoder();
const escapes: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * Hash of what makes a running container outdated when it changes: its name and image. Hexadecimal, as the annotation
 * `io.kubernetes.container.hash` has it; the same as the kubelet's, so that running containers can be taken over from one.
 */
export function hashContainer(container: Pick<Container, 'name' | 'image'>): string {
  const { name, image = '' } = container;
  const known = hashes.get(container);
  if (known?.name === name && known.image === image) return known.hash;
  const hash = fnv1a32(hashedText({ name, image })).toString(16);
  hashes.set(container, { name, image, hash });
  return hash;
}

/** Every sync of a pod asks for the hashes of the same containers. */
const hashes = new WeakMap<object, { name: string; image: string; hash: string }>();

/** The text that is hashed: the bytes of the JSON of image and name, written out in decimal. */
function hashedText({ name, image }: { name: string; image: string }): string {
  const json = JSON.stringify({ image, name }).replace(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? char);
  return `([]uint8)[${encoder.encode(json).join(' ')}]`;
}
