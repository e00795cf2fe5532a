import type { FileSystemLayout, NodeFileSystem } from './file-systems.js';
import { type EvictionSignal, evictionSignals, signalDefinitions } from './signals.js';
import { isHardThreshold, type Threshold } from './threshold.js';

/**
 * Derives the `containerfs` thresholds from those of the file system that the containers' writable layers share: replaces a configured one,
 * else appends one. If a signal has several thresholds, hard or soft, the last one is the source and the last one is replaced. `conflicts`
 * are the replaced ones. A threshold without a source is never met.
 */
export function updateContainerFsThresholds(
  thresholds: readonly Threshold[],
  { dedicatedImageFs, splitContainerFs }: FileSystemLayout,
): { thresholds: Threshold[]; conflicts: Threshold[] } {
  const updated = [...thresholds];
  const conflicts = thresholds.filter(({ signal }) => signalDefinitions[signal].fileSystem === 'containerfs');
  if (!dedicatedImageFs && splitContainerFs) return { thresholds: updated, conflicts };
  const source = dedicatedImageFs && !splitContainerFs ? 'imagefs' : 'nodefs';
  for (const signal of signalsOf('containerfs')) {
    const followedSignal = signalsOf(source).find((each) => signalDefinitions[each].resource === signalDefinitions[signal].resource);
    for (const hard of [true, false]) {
      const isKind = (name: EvictionSignal | undefined) => (each: Threshold) => each.signal === name && isHardThreshold(each) === hard;
      const followed = thresholds.findLast(isKind(followedSignal));
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

const signalsOf = (fileSystem: NodeFileSystem) => evictionSignals.filter((signal) => signalDefinitions[signal].fileSystem === fileSystem);
