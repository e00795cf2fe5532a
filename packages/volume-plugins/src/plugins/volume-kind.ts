import {
  type PersistentVolumeSource,
  type PluginVolumeKind,
  type PluginVolumeSource,
  type VolumePlugin,
  type VolumeSpec,
  volumeSources,
} from '@nodeagent/api';

/** The volume sources of this package's plugins: all but CSI. */
export type NodeVolumeKind = Exclude<PluginVolumeKind, 'csi'>;

type Sources = Omit<PluginVolumeSource & PersistentVolumeSource, 'csi'>;

/** The source of this kind: of the pod's volume, else of the persistent volume. */
export function sourceOf<Kind extends NodeVolumeKind>({ volume, persistentVolume }: VolumeSpec, kind: Kind): Sources[Kind] {
  const ofPod: Sources | undefined = volume;
  const persistent: Sources | undefined = persistentVolume?.spec;
  return ofPod?.[kind] ?? persistent?.[kind] ?? undefined;
}

/** The plugin's name, and which volumes it supports, by the kind. */
export function servesKind(kind: NodeVolumeKind): Pick<VolumePlugin, 'name' | 'canSupport'> {
  return { name: volumeSources[kind].plugin, canSupport: (spec) => sourceOf(spec, kind) !== undefined };
}

/** Maps the values of a record of kinds. */
export function mapKinds<Kind extends NodeVolumeKind, From, To>(
  record: Record<Kind, From>,
  map: (kind: Kind, value: From) => To,
): Record<Kind, To> {
  const entries = Object.entries<From>(record).map(([kind, value]) => [kind, map(kind as Kind, value)]);
  return Object.fromEntries(entries) as Record<Kind, To>;
}
