import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeConfiguration } from './decode.js';
import { setDefaults } from './defaults.js';
import { formatNanos, parseNanos } from './duration.js';
import { configurationToJson } from './json.js';
import { validateKubeletConfiguration } from './validate/validate.js';

describe('setDefaults', () => {
  it('treats zero as the default for plain values of the API, and keeps it for pointers', () => {
    expect(setDefaults({ eventBurst: 0, eventRecordQPS: 0, syncFrequency: '0s', healthzPort: 0 })).toMatchObject({
      eventBurst: 100,
      eventRecordQPS: 0,
      syncFrequency: '1m0s',
      healthzPort: 0,
    });
  });

  it('shares no objects with its argument and the defaults', () => {
    const given = Object.freeze({ maxPods: 3 });
    setDefaults(given).enforceNodeAllocatable?.push('none');
    expect(setDefaults(given).enforceNodeAllocatable).toEqual(['pods']);
  });

  it('returns a valid configuration, and is idempotent', () => {
    const defaults = setDefaults({});
    expect(validateKubeletConfiguration(defaults)).toEqual([]);
    expect(setDefaults(defaults)).toEqual(defaults);
    expect(decodeConfiguration(configurationToJson(defaults))).toEqual({ configuration: defaults, unknownFields: [] });
  });
});

describe('validateKubeletConfiguration', () => {
  it("reports all errors in the kubelet's words", () => {
    expect(validateKubeletConfiguration(setDefaults({ maxPods: -1, port: 70_000, podLogsDir: 'logs/' }))).toEqual([
      'invalid configuration: maxPods (--max-pods) -1 must not be a negative number',
      'invalid configuration: port (--port) 70000 must be between 1 and 65535, inclusive',
      'invalid configuration: pod logs path "logs/" must be absolute path',
      'invalid configuration: pod logs path "logs/" must be normalized',
    ]);
  });
});

describe('durations', () => {
  it.each([
    ['1m', '1m0s'],
    ['90m', '1h30m0s'],
    ['999us', '999µs'],
    ['0.5ms', '500µs'],
    ['1.000000001s', '1.000000001s'],
    ['-1s', '-1s'],
    ['3000h', '3000h0m0s'],
    ['0', '0s'],
    ['7ns', '7ns'],
  ])('%s is %s', (text, printed) => {
    expect(formatNanos(parseNanos(text) ?? -1n)).toBe(printed);
  });

  it.each(['', '5', 's', '1d', '1m 2s', '9999999999h'])('%j is invalid', (text) => {
    expect(parseNanos(text)).toBeUndefined();
  });

  it('survive a round trip', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (nanos) => {
        expect(parseNanos(formatNanos(nanos))).toBe(nanos);
      }),
    );
  });
});
