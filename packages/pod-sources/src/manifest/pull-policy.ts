/**
 * The pull policy of an image whose manifest names none: `Always` for the tag `latest` and for an image with neither tag nor digest,
 * `IfNotPresent` otherwise. Source: Kubernetes documentation, "Images", "Default image pull policy".
 */
export function defaultPullPolicy(image: string | undefined): 'Always' | 'IfNotPresent' {
  const [name = '', digest] = (image ?? '').split('@', 2);
  const tag = tagOf(name) ?? (digest === undefined ? 'latest' : undefined);
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** The text after the colon of the last path element; a colon before a slash belongs to a port. */
function tagOf(name: string): string | undefined {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const colon = last.indexOf(':');
  return colon < 0 ? undefined : last.slice(colon + 1);
}
