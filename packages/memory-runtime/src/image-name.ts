/** Normalizes an image name: `busybox` is `docker.io/library/busybox:latest`. The tag of a name with a digest is removed. */
export function normalizeImageName(name: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(name)) return name;
  const [named = '', digest] = name.split('@');
  const slash = named.indexOf('/');
  const first = named.slice(0, Math.max(slash, 0));
  const hasDomain = slash > 0 && (/[.:]/.test(first) || first === 'localhost');
  const full = hasDomain ? named : `docker.io/${slash < 0 ? 'library/' : ''}${named}`;
  const [repository, tag] = splitTag(full);
  return digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`;
}

/** The part before tag and digest. */
export function repositoryOf(normalized: string): string {
  return splitTag(normalized.split('@')[0] ?? '')[0];
}

function splitTag(name: string): [repository: string, tag: string | undefined] {
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? [name.slice(0, colon), name.slice(colon + 1)] : [name, undefined];
}
