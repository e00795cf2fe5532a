import { describe, expect, it } from 'vitest';
import { decodeConfiguration } from '../decode.js';
import { setDefaults } from '../defaults.js';
import { validateKubeletConfiguration } from './validate.js';

/** Errors of a configuration with defaults; the texts are those of a real kubelet v1.36.2. */
const problemsOf = (config: unknown) => validateKubeletConfiguration(setDefaults(decodeConfiguration(config).configuration));
const invalid = (problem: string) => `invalid configuration: ${problem}`;

describe('validateKubeletConfiguration', () => {
  it('lists problems in the order of a kubelet', () => {
    const problems = problemsOf({
      podLogsDir: '//a',
      containerLogMaxFiles: 1,
      containerLogMonitorInterval: '1s',
      containerLogMaxWorkers: 0,
      enableSystemLogQuery: true,
      enableSystemLogHandler: false,
      memoryReservationPolicy: 'x',
      tracing: { samplingRatePerMillion: -1, endpoint: 'http://x:1' },
      logging: { format: 'nope' },
      showHiddenMetricsForVersion: '1.34',
      userNamespaces: { idsPerPod: 1 },
      reservedMemory: [{ limits: { memory: '1' } }, { limits: { memory: '0' } }],
      reservedSystemCPUs: 'x',
      imagePullCredentialsVerificationPolicy: 'x',
      hairpinMode: 'x',
      enforceNodeAllocatable: ['x'],
      crashLoopBackOff: { maxContainerRestartPeriod: '0s' },
      memorySwap: { swapBehavior: 'x' },
      shutdownGracePeriodCriticalPods: '1s',
      topologyManagerPolicy: 'x',
      registerWithTaints: [{ key: '', effect: 'NoSchedule' }],
      runOnce: true,
      maxParallelImagePulls: 0,
      maxPods: -1,
    });
    expect(problems.map((problem) => problem.replace('invalid configuration: ', '').split(' ', 2).join(' '))).toEqual([
      'maxPods (--max-pods)',
      'maxParallelImagePulls 0',
      'runOnce (--runOnce)',
      'invalid taint:',
      'topologyManagerPolicy (--topology-manager-policy)',
      'shutdownGracePeriodCriticalPods {1s}',
      'memorySwap.swapBehavior "x"',
      'CrashLoopBackOff.MaxContainerRestartPeriod (got:',
      'option "x"',
      'option "x"',
      'option "x"',
      'unable to',
      'reserved memory',
      'the reserved',
      'userNamespaces.idsPerPod must',
      'invalid showHiddenMetricsForVersion:',
      'logging.format: Invalid',
      'tracing.samplingRatePerMillion: Invalid',
      'tracing.endpoint: Invalid',
      'option "x"',
      'enableSystemLogHandler is',
      'containerLogMaxWorkers must',
      'containerLogMonitorInterval must',
      'containerLogMaxFiles must',
      'pod logs',
    ]);
  });

  it.each(['0s', '1ms', '5m'])('rejects crashLoopBackOff.maxContainerRestartPeriod: %s while its feature gate is off', (period) => {
    expect(
      problemsOf({ featureGates: { KubeletCrashLoopBackOffMax: false }, crashLoopBackOff: { maxContainerRestartPeriod: period } }),
    ).toEqual([invalid('FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set')]);
    expect(problemsOf({ featureGates: { KubeletCrashLoopBackOffMax: false } })).toEqual([]);
  });

  it.each([
    ['999ms', '0.999'],
    ['1ns', '1e-09'],
    ['1000h', '3.6e+06'],
  ])('limits the restart period %s, printed as %s seconds', (period, seconds) => {
    expect(problemsOf({ crashLoopBackOff: { maxContainerRestartPeriod: period } })).toEqual([
      invalid(`CrashLoopBackOff.MaxContainerRestartPeriod (got: ${seconds} seconds) must be set between 1s and 300s`),
    ]);
  });

  it('compares the restart period in whole milliseconds', () => {
    expect(problemsOf({ crashLoopBackOff: { maxContainerRestartPeriod: '300000500us' } })).toEqual([]);
  });

  it('requires cgroupsPerQOS only for known enforcements', () => {
    const flag = 'enforceNodeAllocatable (--enforce-node-allocatable)';
    const options = '"pods", "system-reserved", "system-reserved-compressible", "kube-reserved", "kube-reserved-compressible" or "none"';
    expect(problemsOf({ cgroupsPerQOS: false, enforceNodeAllocatable: ['system-reserved-x', 'pods', 'bo"gus'] })).toEqual([
      invalid(`option "system-reserved-x" specified for ${flag}. Valid options are ${options}`),
      invalid(`cgroupsPerQOS (--cgroups-per-qos) must be set to true when "pods" contained in ${flag}`),
      invalid(`option "bo\\"gus" specified for ${flag}. Valid options are ${options}`),
    ]);
  });

  it('accepts a taint without effect and prints the time of a rejected one', () => {
    expect(problemsOf({ registerWithTaints: [{ key: 'k', value: 'v' }] })).toEqual([]);
    expect(problemsOf({ registerWithTaints: [{ key: '-k', effect: 'NoExecute', timeAdded: '2026-01-01T01:02:03.50Z' }] })).toEqual([
      'invalid taint: {-k  NoExecute 2026-01-01 01:02:03.5 +0000 UTC}',
      invalid('taint.TimeAdded is not nil'),
    ]);
  });

  it.each([
    ['1-2-3', 'strconv.Atoi: parsing "2-3": invalid syntax'],
    ['0-', 'strconv.Atoi: parsing "": invalid syntax'],
    ['99999999999999999999', 'strconv.Atoi: parsing "99999999999999999999": value out of range'],
    ['3-1', 'invalid range "3-1" (3 > 1)'],
  ])('rejects reservedSystemCPUs %s', (cpus, problem) => {
    expect(problemsOf({ reservedSystemCPUs: cpus })).toEqual([
      invalid(`unable to parse reservedSystemCPUs (--reserved-cpus) ${cpus}, error: ${problem}`),
    ]);
  });

  it.each([
    ['1e20', 1e20, '1e+20'],
    ['12345678.5', 12_345_678.5, '1.23456785e+07'],
    ['100001', 100_001, '100001'],
  ])('prints the memory throttling factor %s', (_, factor, printed) => {
    expect(problemsOf({ memoryThrottlingFactor: factor })).toEqual([
      invalid(`memoryThrottlingFactor ${printed} must be greater than 0 and less than or equal to 1.0`),
    ]);
  });
});

describe('logging', () => {
  it('checks all rules, in order', () => {
    const problems = problemsOf({
      logging: {
        format: 'json',
        flushFrequency: '-1s',
        verbosity: 4_294_967_295,
        vmodule: [{ filePattern: '=,', verbosity: 4_294_967_295 }, { filePattern: '' }],
        options: { text: { splitStream: true, infoBufferSize: '-1' }, json: { infoBufferSize: '1Ki' } },
      },
    });
    expect(problems).toEqual([
      'logging.flushFrequency: Invalid value: "-1s": Must be greater than zero',
      'logging.verbosity: Invalid value: 4294967295: Must be <= 2147483647',
      'logging.vmodule: Forbidden: Only supported for text log format',
      'logging.vmodule[0]: Invalid value: "=,": File pattern must not contain equal sign or comma',
      'logging.vmodule[0]: Invalid value: 4294967295: Must be <= 2147483647',
      'logging.vmodule[1]: Required value: File pattern must not be empty',
      'logging.options.text.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled',
      'logging.options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled',
    ]);
  });

  it('accepts the output of kubeadm: a flush frequency of 0, and JSON', () => {
    const logging = { format: 'json', flushFrequency: 0, options: { json: { infoBufferSize: '0' } }, verbosity: 0 };
    expect(problemsOf({ logging })).toEqual([]);
    expect(setDefaults(decodeConfiguration({ logging }).configuration).logging?.flushFrequency).toBe('5s');
    expect(problemsOf({ logging: { flushFrequency: -5 } })).toEqual([
      'logging.flushFrequency: Invalid value: -5: Must be greater than zero',
    ]);
    expect(problemsOf({ logging, featureGates: { LoggingBetaOptions: false } })).toEqual([
      'logging.format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature',
    ]);
  });
});

describe('tracing.endpoint', () => {
  it.each(['', 'localhost:4317', '::', '[::1]:5', 'dns:///x', 'Unix:///a', 'unix-abstract://a', 'a%25b', 'x?%zz', 'é:1'])(
    'can be %j',
    (endpoint) => expect(problemsOf({ tracing: { endpoint } })).toEqual([]),
  );

  it.each([
    ['x:port', 'dns://x:port', 'parse "dns://x:port": invalid port ":port" after host'],
    ['[::1', 'dns://[::1', `parse "dns://[::1": missing ']' in host`],
    ['us er@x', 'dns://us er@x', 'parse "dns://us er@x": net/url: invalid userinfo'],
    ['x/%zz', 'dns://x/%zz', 'parse "dns://x/%zz": invalid URL escape "%zz"'],
    ['x#%zz', 'dns://x#%zz', 'parse "dns://x#%zz": invalid URL escape "%zz"'],
    ['a%20b', 'dns://a%20b', 'parse "dns://a%20b": invalid URL escape "%20"'],
    ['a^b', 'dns://a^b', 'parse "dns://a^b": invalid character "^" in host name'],
    ['://x', '://x', 'parse "://x": missing protocol scheme'],
    ['1http://x', '1http://x', 'parse "1http://x": first path segment in URL cannot contain colon'],
  ])('cannot be %j', (endpoint, url, problem) => {
    expect(problemsOf({ tracing: { endpoint } })).toEqual([`tracing.endpoint: Invalid value: ${JSON.stringify(url)}: ${problem}`]);
  });
});

it.each(['NeverVerify', 'NeverVerifyPreloadedImages', 'AlwaysVerify'])('rejects an image allowlist with the policy %s', (policy) => {
  expect(problemsOf({ imagePullCredentialsVerificationPolicy: policy, preloadedImagesVerificationAllowlist: ['nginx'] })).toEqual([
    invalid(
      'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"',
    ),
  ]);
});

it('rejects a graceful shutdown shorter than a second', () => {
  expect(problemsOf({ shutdownGracePeriod: '999ms' })).toEqual([
    invalid('shutdownGracePeriod {999ms} must be either zero or otherwise >= 1 sec'),
  ]);
  expect(problemsOf({ shutdownGracePeriod: '1s' })).toEqual([]);
});

describe('preloadedImagesVerificationAllowlist', () => {
  const check = (...patterns: string[]) =>
    problemsOf({
      imagePullCredentialsVerificationPolicy: 'NeverVerifyAllowlistedImages',
      preloadedImagesVerificationAllowlist: patterns,
    });

  it('accepts names and prefixes', () => {
    expect(check('nginx', 'UPPER/x', 'UPPER/x/*', 'reg:5000/a', 'a b/*', 'a'.repeat(64))).toEqual([]);
  });

  it.each([
    ['', 'the supplied pattern is too short: '],
    ['/*', 'the supplied pattern is too short: /*'],
    [' x', 'leading/trailing spaces are not allowed:  x'],
    ['x/ *', "not a valid wildcard pattern, only patterns ending with '/*' are allowed: x/ *"],
    ['x y', 'failed to parse as an image name: invalid reference format'],
    ['x/UPPER', 'failed to parse as an image name: repository name must be lowercase'],
    ['a'.repeat(260), 'failed to parse as an image name: repository name must not be more than 255 characters'],
    ['reg/a:tag', 'neither tag nor digest is accepted in an image reference: reg/a:tag'],
  ])('reports the first invalid pattern: %j', (pattern, problem) => {
    expect(check('nginx', pattern, 'a*b')).toEqual([
      invalid(`invalid image pattern in \`preloadedImagesVerificationAllowlist\`: ${problem}`),
    ]);
  });
});
