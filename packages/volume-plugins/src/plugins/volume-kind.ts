import {
  type PersistentVolumeSource,
  type PluginVolumeKind,
  type PluginVolumeSource,
  type VolumePlugin,
  type VolumeSpec,
  volumeSources,
} from '@nodeagent/api';

/** The kinds whose plugins need nothing but the node. */
export type NodeVolumeKind = Exclude<PluginVolumeKind, 'csi'>;

type Sources = Omit<PluginVolumeSource & PersistentVolumeSource, 'csi'>;

/** The source of this kind; of a pod's own volume before a persistent one's. */
export function sourceOf<Kind extends NodeVolumeKind>({ volume, persistentVolume }: VolumeSpec, kind: Kind): Sources[Kind] {
  const ofPod: Sources | undefined = volume;
  const persistent: Sources | undefined = persistentVolume?.spec;
  return ofPod?.[kind] ?? persistent?.[kind] ?? undefined;
}

/** What follows from the kind: the plugin's name, and which volumes and persistent volumes are its own. */
export function servesKind(kind: NodeVolumeKind): Pick<VolumePlugin, 'name' | 'canSupport'> {
  return { name: volumeSources[kind].plugin, canSupport: (spec) => sourceOf(spec, kind) !== undefined };
}

/** A record with the same kinds and other values. */
export function mapKinds<Kind extends NodeVolumeKind, From, To>(
  record: Record<Kind, From>,
  map: (kind: Kind, value: From) => To,
): Record<Kind, To> {
  const entries = Object.entries<From>(record).map(([kind, value]) => [kind, map(kind as Kind, value)]);
  return Object.fromEntries(entries) as Record<Kind, To>;
}
