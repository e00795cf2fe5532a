import { describe, expect, it } from 'vitest';
import { callTimeoutMs } from './deadline.js';

const timeout = (name: string, requested = 0n, request = 120_000, streams = false) => callTimeoutMs({ name, streams }, requested, request);

describe('callTimeoutMs', () => {
  it.each([
    ['ListContainers', 0n, 120_000],
    ['RunPodSandbox', 0n, 240_000],
    ['PullImage', 0n, 0],
    ['StopContainer', 30n, 150_000],
    ['StopContainer', -1n, 120_000],
    ['StopContainer', 10n ** 12n, 0],
    ['ExecSync', 0n, 0],
    ['ExecSync', 5n, 125_000],
    ['CheckpointContainer', 5n, 120_000],
    ['CheckpointContainer', 500n, 500_000],
  ])('%s with timeout %d: %d ms', (name, requested, expected) => {
    expect(timeout(name, requested)).toBe(expected);
  });

  it('is 0 for streams, and for all calls without a request timeout', () => {
    expect(timeout('GetContainerEvents', 0n, 120_000, true)).toBe(0);
    expect(timeout('StopContainer', 30n, 0)).toBe(0);
  });
});
