import { defaultEvictionHard, parseThresholds } from '@nodeagent/eviction';
import { describe, expect, it } from 'vitest';
import { readFlags } from '../flags.js';
import { checkThresholds, evictionFlags } from './eviction-flags.js';
import { readSettingFlags } from './setting-flag.js';

function read(...args: string[]) {
  const { settings = {} } = readSettingFlags(evictionFlags, readFlags(evictionFlags, args)).agent.eviction ?? {};
  checkThresholds(settings, (flag) => `--${flag}`);
  return settings;
}

describe('the eviction flags', () => {
  it("keep the kubelet's thresholds when unset", () => {
    const settings = read();
    expect(settings).toEqual({ evictionPressureTransitionPeriodMs: 300_000, evictionMaxPodGracePeriod: 0 });
    expect(parseThresholds(settings)).toEqual(parseThresholds({ evictionHard: defaultEvictionHard }));
  });

  it("have the kubelet's syntax", () => {
    expect(
      read(
        ...['--eviction-hard', 'memory.available<100Mi, nodefs.available<10%,'],
        ...['--eviction-soft', 'memory.available<1Gi', '--eviction-soft-grace-period', 'memory.available=1m30s'],
        ...['--eviction-minimum-reclaim', 'nodefs.available=500Mi', '--eviction-pressure-transition-period', '30s'],
        ...['--eviction-max-pod-grace-period', '60'],
      ),
    ).toEqual({
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
      evictionSoft: { 'memory.available': '1Gi' },
      evictionSoftGracePeriod: { 'memory.available': '1m30s' },
      evictionMinimumReclaim: { 'nodefs.available': '500Mi' },
      evictionPressureTransitionPeriodMs: 30_000,
      evictionMaxPodGracePeriod: 60,
    });
  });

  it('disable all thresholds with an empty --eviction-hard', () => {
    expect(parseThresholds(read('--eviction-hard='))).toEqual([]);
  });

  it.each([
    [['--eviction-hard', 'memory.available=100Mi'], '--eviction-hard: "memory.available=100Mi" is not SIGNAL<VALUE'],
    [['--eviction-hard', 'memory.free<100Mi'], '--eviction-hard: unsupported eviction signal memory.free'],
    [['--eviction-hard', 'nodefs.available<110%'], '--eviction-hard: eviction percentage threshold nodefs.available must be <= 100%: 110%'],
    [
      ['--eviction-soft', 'memory.available<1Gi'],
      '--eviction-soft-grace-period: grace period must be specified for the soft eviction threshold memory.available',
    ],
    [
      ['--eviction-minimum-reclaim', 'memory.available=-1'],
      '--eviction-minimum-reclaim: negative eviction minimum reclaim specified for memory.available',
    ],
    [['--eviction-max-pod-grace-period', '1m'], '--eviction-max-pod-grace-period: "1m" is not a number of seconds'],
    [['--eviction-pressure-transition-period', '5'], '--eviction-pressure-transition-period: "5" is not a duration'],
  ])('%j: %s', (args, message) => {
    expect(() => read(...args)).toThrow(expect.objectContaining({ code: 'BAD_USAGE', message: expect.stringContaining(message) }));
  });
});
