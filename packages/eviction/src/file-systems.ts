import { type EvictionSignal, type NodeFileSystem, signalMeanings } from './signals.js';
import { isHardThreshold, type Threshold } from './threshold.js';

/** Which of the node's file systems are ones of their own. */
export interface FileSystemLayout {
  /** Images lie on another file system than the agent's root folder. */
  dedicatedImageFs: boolean;
  /** Containers' writable layers lie on another file system than images (KEP-4191). */
  splitContainerFs: boolean;
}

/** What of a pod counts for a file system: images and writable layers, logs, volumes that end with the pod. */
export type DiskMeasure = 'images' | 'root' | 'logs' | 'localVolumeSource';

/** What can be freed without ending a pod: dead containers, unused images. */
export type NodeReclaim = 'containers' | 'images';

interface FileSystemUse {
  measures: readonly DiskMeasure[];
  reclaim: readonly NodeReclaim[];
}

const everything: FileSystemUse = { measures: ['images', 'root', 'logs', 'localVolumeSource'], reclaim: ['containers', 'images'] };
const ofPods: FileSystemUse = { measures: ['logs', 'localVolumeSource'], reclaim: [] };
const ofRuntime: FileSystemUse = { measures: ['root', 'images'], reclaim: ['containers', 'images'] };
const ofPodsAndLayers: FileSystemUse = { measures: ['logs', 'localVolumeSource', 'root'], reclaim: ['containers'] };
const ofImages: FileSystemUse = { measures: ['images'], reclaim: ['images'] };

/** What lies on a file system: its pods are ranked by that, and that can be freed. */
export function fileSystemUse({ dedicatedImageFs, splitContainerFs }: FileSystemLayout, fileSystem: NodeFileSystem): FileSystemUse {
  if (!dedicatedImageFs) return everything;
  if (splitContainerFs) return fileSystem === 'imagefs' ? ofImages : ofPodsAndLayers;
  return fileSystem === 'nodefs' ? ofPods : ofRuntime;
}

/** What frees some of the signal's resource without ending a pod, in order; none for memory and processes. */
export function nodeReclaims(layout: FileSystemLayout, signal: EvictionSignal): readonly NodeReclaim[] {
  const { fileSystem } = signalMeanings[signal];
  return fileSystem === undefined ? [] : fileSystemUse(layout, fileSystem).reclaim;
}

/**
 * The thresholds with those of `containerfs` as they follow from the file system that containers share: a configured one is replaced in
 * its place, else one is appended. Of several thresholds of one signal, hard or soft, the last one is followed and the last one is
 * replaced. `conflicts` are the configured ones. A threshold that has nothing to follow is never met.
 */
export function updateContainerFsThresholds(
  thresholds: readonly Threshold[],
  { dedicatedImageFs, splitContainerFs }: FileSystemLayout,
): { thresholds: Threshold[]; conflicts: Threshold[] } {
  const updated = [...thresholds];
  const conflicts = thresholds.filter(({ signal }) => signalMeanings[signal].fileSystem === 'containerfs');
  if (!dedicatedImageFs && splitContainerFs) return { thresholds: updated, conflicts };
  const source = dedicatedImageFs && !splitContainerFs ? 'imagefs' : 'nodefs';
  for (const figure of ['available', 'inodesFree'] as const) {
    for (const hard of [true, false]) {
      const isKind = (signal: EvictionSignal) => (each: Threshold) => each.signal === signal && isHardThreshold(each) === hard;
      const signal = `containerfs.${figure}` as const;
      const followed = thresholds.findLast(isKind(`${source}.${figure}`));
      const threshold: Threshold = followed
        ? { ...followed, signal }
        : { signal, operator: '', value: { percentage: 0 }, gracePeriodSeconds: 0 };
      const index = thresholds.findLastIndex(isKind(signal));
      if (index === -1) updated.push(threshold);
      else updated[index] = threshold;
    }
  }
  return { thresholds: updated, conflicts };
}
