import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from './system-clock.js';

it('calls back as soon as possible after a negative delay, without a warning of Node', async () => {
  const warnings: string[] = [];
  const collect = ({ name }: Error) => void warnings.push(name);
  process.on('warning', collect);
  onTestFinished(() => void process.off('warning', collect));
  await new Promise<void>((resolve) => systemClock.setTimeout(resolve, -5));
  // Node emits warnings after the callbacks of the current phase.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).not.toContain('TimeoutNegativeWarning');
});
