import { expect, it } from 'vitest';
import { readFlags } from '../flags.js';
import { checkSettings, readSettingFlags, settingFlag } from './setting-flag.js';

const flags = [
  settingFlag('sync-frequency', 'agent.settings.syncFrequencyMs', 'period.'),
  settingFlag('max-restart-period', 'agent.settings.maxContainerRestartPeriodMs', 'back-off.'),
  settingFlag('max-pods', ['agent.node.maxPods', 'cluster.settings.maxPods'], 'pods.'),
  settingFlag('driver', 'agent.settings.cgroupDriver', 'driver.'),
  settingFlag('register-node', 'cluster.settings.registerNode', 'Node.', { value: 'BOOL' }),
  settingFlag('device-plugins', 'agent.settings.devicePlugins', 'plugins.', { defaultText: 'sometimes' }),
];

it('has the placeholder, the default and the range of the row', () => {
  expect(flags.map(({ value, default: fallback, help }) => [value, fallback, help])).toEqual([
    ['DURATION', '1m', 'period.'],
    ['DURATION', '5m', 'back-off, 1s to 5m.'],
    ['COUNT', '110', 'pods.'],
    ['VALUE', undefined, 'driver.'],
    ['BOOL', 'true', 'Node.'],
    [undefined, undefined, 'plugins.'],
  ]);
});

it('reads values to their settings, and nothing without a value', () => {
  const values = readFlags(flags, ['--driver', 'systemd', '--max-pods', '5', '--device-plugins']);
  const { agent, cluster } = readSettingFlags(flags, { ...values, 'sync-frequency': undefined, 'max-restart-period': '1m' });
  expect(agent).toEqual({
    settings: { cgroupDriver: 'systemd', devicePlugins: true, maxContainerRestartPeriodMs: 60_000 },
    node: { maxPods: 5 },
  });
  expect(cluster.settings).toEqual({ maxPods: 5, registerNode: true });
});

it('checks values of files too, and names where they are from', () => {
  const configuration = readSettingFlags(flags, { 'max-restart-period': '10m' });
  expect(() => checkSettings(flags, configuration, (flag, field) => `${flag} or ${field}`)).toThrow(
    'max-restart-period or crashLoopBackOff: must be from 1s to 5m',
  );
});
