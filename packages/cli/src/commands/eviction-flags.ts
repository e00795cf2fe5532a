import { errorMessage } from '@nodeagent/api';
import { defaultEvictionHard, type EvictionSettings, parseThresholds } from '@nodeagent/eviction';
import { badUsage, duration, type Flag, type FlagValues, setting, text } from '../flags.js';
import type { SettingName } from './setting-names.js';

const defaultHard = Object.entries(defaultEvictionHard)
  .map((pair) => pair.join('<'))
  .join(', ');

/** Eviction flags, with the kubelet's names and defaults. */
export const evictionFlags: readonly Flag[] = [
  {
    name: 'eviction-hard',
    value: 'SIGNAL<LEVEL[,...]',
    defaultText: defaultHard,
    help: 'hard eviction thresholds: below one, a pod is evicted immediately. Replaces all defaults; an empty value disables them.',
  },
  {
    name: 'eviction-soft',
    value: 'SIGNAL<LEVEL[,...]',
    defaultText: 'none',
    help: 'soft eviction thresholds: a pod is evicted after the grace period below one.',
  },
  {
    name: 'eviction-soft-grace-period',
    value: 'SIGNAL=DURATION[,...]',
    defaultText: 'none',
    help: 'grace periods of the soft thresholds, such as memory.available=1m30s.',
  },
  {
    name: 'eviction-minimum-reclaim',
    value: 'SIGNAL=AMOUNT[,...]',
    defaultText: 'none',
    help: 'amount to reclaim above the threshold, such as imagefs.available=2Gi.',
  },
  {
    name: 'eviction-pressure-transition-period',
    value: 'DURATION',
    default: '5m',
    help: 'time for which the node keeps reporting pressure after it was last observed.',
  },
  {
    name: 'eviction-max-pod-grace-period',
    value: 'SECONDS',
    default: '0',
    help: 'maximum grace period of pods evicted by a soft threshold.',
  },
];

/** The flag of each field, and the separator between signal and value. */
const fields = {
  evictionHard: { flag: 'eviction-hard', separator: '<' },
  evictionSoft: { flag: 'eviction-soft', separator: '<' },
  evictionSoftGracePeriod: { flag: 'eviction-soft-grace-period', separator: '=' },
  evictionMinimumReclaim: { flag: 'eviction-minimum-reclaim', separator: '=' },
} as const;
type Field = keyof typeof fields;

/** Reads the eviction flags; {@link checkThresholds} checks the thresholds. Throws `BAD_USAGE` naming the flag. */
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

/** Throws `BAD_USAGE` naming the invalid setting. Flags and configuration files may each set a part of a threshold. */
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
