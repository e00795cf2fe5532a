import { expect, it } from 'vitest';
import { createTestAgent } from '../test-agent.js';
import { defaultSettings, effectiveSettings, type NodeAgentSettings } from './settings.js';

const refused = (settings: Partial<NodeAgentSettings>) => () => createTestAgent([], { settings });
const refusal = (field: string, rule: string) =>
  expect.objectContaining({ code: 'InvalidOption', message: expect.stringContaining(`${field} must be ${rule}`), details: { field } });

it.each<[Partial<NodeAgentSettings>, string, string]>([
  [{ imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 80 }, 'settings.imageGCLowThresholdPercent', 'less than'],
  [{ imageMaximumGCAgeMs: 120_000 }, 'settings.imageMaximumGCAgeMs', 'more than imageMinimumGCAgeMs'],
  [{ imageMinimumGCAgeMs: -1 }, 'settings.imageMinimumGCAgeMs', 'a number that is not negative'],
  [{ cgroupDriver: 'none' as never }, 'settings.cgroupDriver', 'cgroupfs or systemd'],
  [{ evented: 'never' as never }, 'settings.evented', 'auto, on or off'],
])('createNodeAgent rejects the settings %o', (settings, field, rule) => {
  expect(refused(settings)).toThrow(refusal(field, rule));
});

const mayBeZero = new Set(['imageMinimumGCAgeMs', 'imageMaximumGCAgeMs']);
const positive = Object.keys(defaultSettings).filter((name) => name.endsWith('Ms') && !mayBeZero.has(name));

it.each(positive)('createNodeAgent rejects a %s that is not a positive number', (name) => {
  const field = `settings.${name}`;
  for (const value of [0, -1, Number.NaN]) {
    expect(refused({ [name]: value })).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  }
});

it('accepts ages of images of zero, and keeps the defaults of the other settings', () => {
  expect(refused({ imageMinimumGCAgeMs: 0, imageMaximumGCAgeMs: 0 })).not.toThrow();
  expect(effectiveSettings({ imageMinimumGCAgeMs: 0 })).toEqual({ ...defaultSettings, imageMinimumGCAgeMs: 0 });
});
