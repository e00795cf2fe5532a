import { expect, it } from 'vitest';
import { checkImageGcSettings } from './settings.js';

it.each([
  [
    'imageGCLowThresholdPercent',
    'less than imageGCHighThresholdPercent (80)',
    { imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 80 },
  ],
  ['imageMaximumGCAgeMs', 'more than imageMinimumGCAgeMs (120000), or 0', { imageMaximumGCAgeMs: 120_000 }],
  ['imageMinimumGCAgeMs', 'a number that is not negative', { imageMinimumGCAgeMs: -1 }],
])('rejects what KubeletConfiguration rejects: %s must be %s', (name, rule, settings) => {
  const field = `settings.${name}`;
  expect(() => checkImageGcSettings(settings)).toThrow(
    expect.objectContaining({ code: 'InvalidOption', message: expect.stringContaining(`${field} must be ${rule}`), details: { field } }),
  );
});

it.each([{}, { imageMinimumGCAgeMs: 0 }, { imageMaximumGCAgeMs: 120_001 }])('accepts %o', (settings) => {
  expect(() => checkImageGcSettings(settings)).not.toThrow();
});
