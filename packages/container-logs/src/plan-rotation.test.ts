import { describe, expect, it } from 'vitest';
import { planRotation } from './plan-rotation.js';

const now = Date.UTC(2026, 10, 21, 12, 30, 5);
const settings = { maxSize: 100n, maxFiles: 5 };
const plan = (names: string[], overrides: Partial<Parameters<typeof planRotation>[0]> = {}, maxFiles = 5, at = now) =>
  planRotation({ log: '0.log', size: 100, names: ['0.log', ...names], ...overrides }, at, { ...settings, maxFiles }).map((step) =>
    step.action === 'reopen' ? 'reopen' : `${step.action} ${step.name}`,
  );

describe('planRotation', () => {
  it('rotates a log that has reached the maximum size', () => {
    expect(plan([], { size: 99 })).toEqual([]);
    expect(plan([])).toEqual(['rotate 0.log.20261121-123005']);
  });

  it('reopens a missing log', () => {
    expect(plan([], { size: undefined })).toEqual(['reopen']);
  });

  it('does nothing if the maximum size is negative', () => {
    expect(planRotation({ log: '0.log', size: undefined, names: [] }, now, { maxSize: -1n, maxFiles: 5 })).toEqual([]);
  });

  it('compresses the last rotated log and keeps maxFiles files', () => {
    const names = ['0.log.20261121-120000.gz', '0.log.20261121-121000.gz', '0.log.20261121-122000.gz', '0.log.20261121-123000'];
    expect(plan(names)).toEqual(['remove 0.log.20261121-120000.gz', 'compress 0.log.20261121-123000', 'rotate 0.log.20261121-123005']);
    expect(plan(names, {}, 2)).toEqual([...names.map((name) => `remove ${name}`), 'rotate 0.log.20261121-123005']);
  });

  it('removes the temporary files of an interrupted compression', () => {
    expect(plan(['0.log.20261121-120000', '0.log.20261121-120000.gz', '0.log.20261121-121000', '0.log.20261121-121000.tmp'])).toEqual([
      'remove 0.log.20261121-120000',
      'remove 0.log.20261121-121000.tmp',
      'compress 0.log.20261121-121000',
      'rotate 0.log.20261121-123005',
    ]);
  });

  it('ignores the logs of other attempts and other containers', () => {
    expect(plan(['1.log', '10.log', '1.log.20261121-120000', '00.log.20261121-120000', '0.log-old'])).toEqual([
      'rotate 0.log.20261121-123005',
    ]);
  });

  it('chooses a name that is new and sorts after the existing ones', () => {
    expect(plan(['0.log.20261121-123005'])).toContain('rotate 0.log.20261121-123006');
    expect(plan(['0.log.20261121-235959.gz'])).toContain('rotate 0.log.20261122-000000');
    expect(plan(['0.log.20269999-235959.gz', '0.log.1'])).toContain('rotate 0.log.20261121-123005');
  });

  it('gives the reason for a removal', () => {
    const names = ['0.log.20261121-120000.gz', '0.log.20261121-121000.gz'];
    const steps = planRotation({ log: '0.log', size: 100, names }, now, { maxSize: 1, maxFiles: 2 });
    expect(steps[0]).toEqual({ action: 'remove', name: names[0], reason: 'more than 2 files' });
  });
});
