import { createHash } from 'node:crypto';
import type { Image } from '@nodeagent/cri-api';
import { notFound } from './errors.js';

/** Id and reference of the one image: the same on every machine, because the image has no content. */
export const hostImageId = `sha256:${createHash('sha256').update('nodeagent host image: the file system of this machine').digest('hex')}`;

const hostNames = new Set(['host', 'library/host', 'localhost/host', 'docker.io/host', 'docker.io/library/host']);

/**
 * Whether a reference names the machine's file system: `host` with any tag, alone or with the default registries of unqualified names, or
 * the image's id. Any other digest does not match.
 */
export function isHostImage(reference: string): boolean {
  if (reference === hostImageId || reference === hostImageId.slice('sha256:'.length)) return true;
  const [name = '', digest, ...more] = reference.split('@');
  if (more.length > 0 || (digest !== undefined && digest !== hostImageId)) return false;
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  if (colon === -1) return hostNames.has(name);
  return hostNames.has(name.slice(0, colon)) && /^\w[\w.-]{0,127}$/.test(name.slice(colon + 1));
}

/**
 * The CRI image. Its user is the runtime's user: the default of pods. It is pinned, so that image garbage collection does not remove it, and
 * its size is 0, because its removal would not free space.
 */
export function hostImage(uid: number): Image {
  return {
    id: hostImageId,
    repoTags: ['host:latest'],
    repoDigests: [],
    size: 0n,
    uid: { value: BigInt(uid) },
    username: '',
    spec: { image: 'host:latest' },
    pinned: true,
  };
}

/** The error for every other image. */
export function unknownImage(reference: string) {
  return notFound(
    `image "${reference}" is not available in the embedded runtime, which has only "host" (this machine's own file system): ` +
      'use image: host, or run on containerd with --runtime-endpoint unix:///run/containerd/containerd.sock',
    { details: { image: reference } },
  );
}
