import { describe, expect, it } from 'vitest';
import { aContainer, aPod, aStatus, exited, running } from '../test-builders.js';
import { normalizeStatus } from './normalize.js';

const bytes = (text = '') => new TextEncoder().encode(text).length;
const message = (status: ReturnType<typeof normalizeStatus>) => status.containerStatuses?.[0]?.state?.terminated?.message;
const withMessage = (text: string) => ({
  containerStatuses: [aStatus('app', { terminated: { exitCode: 1, message: text } })],
});

describe('a normalised status', () => {
  it('has times in whole seconds of UTC', () => {
    const status = normalizeStatus(aPod(), {
      startTime: '2026-01-01T02:00:00.9+02:00',
      conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00.5Z' }],
      containerStatuses: [
        aStatus(
          'app',
          { running: { startedAt: '2026-01-01T00:00:01.999Z' } },
          {
            lastState: { terminated: { exitCode: 0, finishedAt: '2025-12-31T23:00:00-01:00' } },
          },
        ),
      ],
    });
    expect(status).toMatchObject({
      startTime: '2026-01-01T00:00:00Z',
      conditions: [{ lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' }],
      containerStatuses: [{ state: running, lastState: { terminated: { finishedAt: '2026-01-01T00:00:00Z' } } }],
    });
  });

  it('shares 12 KiB of termination messages between the containers of the spec, by bytes', () => {
    expect(bytes(message(normalizeStatus(aPod(), withMessage('x'.repeat(20_000)))))).toBe(12_288);
    const three = aPod({ initContainers: [aContainer('i')], ephemeralContainers: [aContainer('e')] });
    expect(bytes(message(normalizeStatus(three, withMessage('ä'.repeat(10_000)))))).toBe(4_096);
    expect(bytes(message(normalizeStatus({}, withMessage('x'.repeat(20_000)))))).toBe(12_288);
    expect(message(normalizeStatus(three, withMessage('short')))).toBe('short');
  });

  it('replaces a truncated character', () => {
    const text = `${'x'.repeat(12_287)}ä`;
    expect(message(normalizeStatus(aPod(), withMessage(text)))).toBe(`${'x'.repeat(12_287)}\ufffd`);
  });

  it('has containers by name, init containers as in the spec with unknown ones at the end', () => {
    const pod = aPod({ initContainers: [aContainer('z'), aContainer('a')] });
    const status = normalizeStatus(pod, {
      initContainerStatuses: ['x', 'a', 'z'].map((name) => aStatus(name, running)),
      containerStatuses: ['c', 'a', 'b'].map((name) => aStatus(name, running)),
      ephemeralContainerStatuses: ['f', 'e'].map((name) => aStatus(name, running)),
    });
    expect(status.initContainerStatuses?.map(({ name }) => name)).toEqual(['z', 'a', 'x']);
    expect(status.containerStatuses?.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(status.ephemeralContainerStatuses?.map(({ name }) => name)).toEqual(['e', 'f']);
  });

  it('is the given status if that is normalised already', () => {
    const status = { startTime: '2026-01-01T00:00:00Z', containerStatuses: [aStatus('a', running), aStatus('b', exited(1))] };
    expect(normalizeStatus(aPod(), status)).toBe(status);
  });
});
