import { errorMessage } from '@nodeagent/api';
import { defaultEvictionHard, type EvictionSettings, parseThresholds } from '@nodeagent/eviction';
import { badUsage, type FlagValues, text } from '../flags.js';
import { type SettingFlag, settingFlag } from './setting-flag.js';
import type { SettingName } from './setting-names.js';

const defaultHard = Object.entries(defaultEvictionHard)
  .map((pair) => pair.join('<'))
  .join(', ');

const signals = (separator: '<' | '='): Pick<SettingFlag, 'read'> => ({
  read: (values, name) => signalMap(name, String(values[name]), separator),
});

/** Eviction flags, with the kubelet's names and defaults. */
export const evictionFlags: readonly SettingFlag[] = [
  settingFlag(
    'eviction-hard',
    'agent.eviction.settings.evictionHard',
    'hard eviction thresholds: below one, a pod is evicted immediately. Replaces all defaults; an empty value disables them.',
    { value: 'SIGNAL<LEVEL[,...]', defaultText: defaultHard, ...signals('<') },
  ),
  settingFlag(
    'eviction-soft',
    'agent.eviction.settings.evictionSoft',
    'soft eviction thresholds: a pod is evicted after the grace period below one.',
    { value: 'SIGNAL<LEVEL[,...]', defaultText: 'none', ...signals('<') },
  ),
  settingFlag(
    'eviction-soft-grace-period',
    'agent.eviction.settings.evictionSoftGracePeriod',
    'grace periods of the soft thresholds, such as memory.available=1m30s.',
    { value: 'SIGNAL=DURATION[,...]', defaultText: 'none', ...signals('=') },
  ),
  settingFlag(
    'eviction-minimum-reclaim',
    'agent.eviction.settings.evictionMinimumReclaim',
    'amount to reclaim above the threshold, such as imagefs.available=2Gi.',
    { value: 'SIGNAL=AMOUNT[,...]', defaultText: 'none', ...signals('=') },
  ),
  settingFlag(
    'eviction-pressure-transition-period',
    'agent.eviction.settings.evictionPressureTransitionPeriodMs',
    'time for which the node keeps reporting pressure after it was last observed.',
  ),
  settingFlag(
    'eviction-max-pod-grace-period',
    'agent.eviction.settings.evictionMaxPodGracePeriod',
    'maximum grace period of pods evicted by a soft threshold.',
    { value: 'SECONDS', read: seconds },
  ),
];

/** The flags of the thresholds. */
const thresholdFlags = {
  evictionHard: 'eviction-hard',
  evictionSoft: 'eviction-soft',
  evictionSoftGracePeriod: 'eviction-soft-grace-period',
  evictionMinimumReclaim: 'eviction-minimum-reclaim',
} as const;
type Field = keyof typeof thresholdFlags;

/** Throws `BAD_USAGE` naming the invalid setting. Flags and configuration files may each set a part of a threshold. */
export function checkThresholds(settings: EvictionSettings, name: SettingName): void {
  try {
    parseThresholds(settings);
  } catch (error) {
    const found = String((error as { details?: { field?: unknown } }).details?.field).replace(/\[.*/s, '');
    const field: Field = found in thresholdFlags ? (found as Field) : 'evictionHard';
    throw badUsage(`${name(thresholdFlags[field], field)}: ${errorMessage(error)}`, error);
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
