import { errorMessage } from '@nodeagent/api';
import { defaultEvictionHard, type EvictionSettings, parseThresholds } from '@nodeagent/eviction';
import { badUsage, duration, type Flag, type FlagValues, setting, text } from '../flags.js';
import type { SettingName } from './setting-names.js';

const defaultHard = Object.entries(defaultEvictionHard)
  .map((pair) => pair.join('<'))
  .join(', ');

/** The flags about when pods are evicted, with the kubelet's names and defaults. */
export const evictionFlags: readonly Flag[] = [
  {
    name: 'eviction-hard',
    value: 'SIGNAL<LEVEL[,...]',
    defaultText: defaultHard,
    help: 'what must stay free: a pod is evicted at once when there is less. Replaces all defaults; an empty one switches them off.',
  },
  {
    name: 'eviction-soft',
    value: 'SIGNAL<LEVEL[,...]',
    defaultText: 'none',
    help: 'what should stay free: a pod is evicted when there is less for the grace period.',
  },
  {
    name: 'eviction-soft-grace-period',
    value: 'SIGNAL=DURATION[,...]',
    defaultText: 'none',
    help: 'grace period of each soft threshold, such as memory.available=1m30s.',
  },
  {
    name: 'eviction-minimum-reclaim',
    value: 'SIGNAL=AMOUNT[,...]',
    defaultText: 'none',
    help: 'how much more than the threshold is freed, such as imagefs.available=2Gi.',
  },
  {
    name: 'eviction-pressure-transition-period',
    value: 'DURATION',
    default: '5m',
    help: 'how long the node reports pressure after it was last seen.',
  },
  {
    name: 'eviction-max-pod-grace-period',
    value: 'SECONDS',
    default: '0',
    help: 'longest grace period of a pod that a soft threshold evicts.',
  },
];

/** Which flag each field of the thresholds comes from, and what stands between a signal and its value. */
const fields = {
  evictionHard: { flag: 'eviction-hard', separator: '<' },
  evictionSoft: { flag: 'eviction-soft', separator: '<' },
  evictionSoftGracePeriod: { flag: 'eviction-soft-grace-period', separator: '=' },
  evictionMinimumReclaim: { flag: 'eviction-minimum-reclaim', separator: '=' },
} as const;
type Field = keyof typeof fields;

/** What the flags say about eviction; {@link checkThresholds} checks thresholds. Throws `BAD_USAGE` naming the flag. */
export function readEvictionSettings(values: FlagValues): EvictionSettings {
  const thresholds = Object.entries(fields).map(([field, { flag, separator }]) =>
    setting(values, flag, field, () => signalMap(flag, String(values[flag]), separator)),
  );
  return {
    ...Object.assign({}, ...thresholds),
    ...setting(values, 'eviction-pressure-transition-period', 'evictionPressureTransitionPeriodMs', duration),
    ...setting(values, 'eviction-max-pod-grace-period', 'evictionMaxPodGracePeriod', seconds),
  };
}

/** Throws `BAD_USAGE` naming the setting that is wrong: flags and configuration files may each have a part of a threshold. */
export function checkThresholds(settings: EvictionSettings, name: SettingName): void {
  try {
    parseThresholds(settings);
  } catch (error) {
    const found = String((error as { details?: { field?: unknown } }).details?.field).replace(/\[.*/s, '');
    const field: Field = found in fields ? (found as Field) : 'evictionHard';
    throw badUsage(`${name(fields[field].flag, field)}: ${errorMessage(error)}`, error);
  }
}

function seconds(values: FlagValues, name: string): number {
  const value = text(values, name);
  if (!/^\d{1,9}$/.test(value)) throw badUsage(`--${name}: "${value}" is not a number of seconds`);
  return Number(value);
}

/** `memory.available<100Mi,nodefs.available<10%` by signal. */
function signalMap(flag: string, value: string, separator: '<' | '='): Record<string, string> {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf(separator);
      if (at === -1) throw badUsage(`--${flag}: "${pair}" is not SIGNAL${separator}VALUE`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
