import type { PersistentVolume } from '@nodeagent/api';

const mountOptionAnnotation = 'volume.beta.kubernetes.io/mount-options';

/** The mount options of a persistent volume: the plugin's and the volume's, sorted, each once. */
export function mountOptionsOf(persistentVolume: PersistentVolume | undefined, own: readonly string[] = []): string[] {
  const annotated = persistentVolume?.metadata?.annotations?.[mountOptionAnnotation];
  const wanted = annotated !== undefined ? annotated.split(',') : (persistentVolume?.spec?.mountOptions ?? []);
  if (wanted.length === 0) return [...own];
  return [...new Set([...wanted.filter((option) => option !== ''), ...own])].sort((a, b) => (a < b ? -1 : 1));
}

/** The mount options with the label, if there is one. */
export const withSELinuxContext = (options: readonly string[], label: string): string[] =>
  label === '' ? [...options] : [...options, `context="${label}"`];
