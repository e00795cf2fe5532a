import type { Pod } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import type { MetricSamples } from './metric-samples.js';
import type { HorizontalPodAutoscaler, Metric, ScalingRules } from './objects.js';
import { type AutoscalerInput, reconcileHorizontalPodAutoscaler } from './reconcile-autoscaler.js';

const now = Date.UTC(2026, 0, 1, 1);

interface PodState {
  cpu?: string;
  phase?: string;
  ready?: boolean;
  /** Seconds since its start, and since its readiness changed. */
  age?: number;
  changed?: number;
  deleted?: boolean;
}

const podOf = (index: number, { cpu = '1', phase = 'Running', ready = true, age = 3600, changed = age, deleted }: PodState): Pod => ({
  metadata: { name: `p${index}`, namespace: 'ns', ...(deleted && { deletionTimestamp: formatTime(now) }) },
  spec: { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu, memory: '1Gi' } } }] },
  status: {
    phase,
    startTime: formatTime(now - age * 1_000),
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: formatTime(now - changed * 1_000) }],
  },
});
const pods = (...states: PodState[]) => states.map((state, index) => podOf(index, state));
const ready = (count: number) => pods(...Array.from({ length: count }, () => ({})));

const resource = (target: object, name = 'cpu'): Metric => ({ type: 'Resource', resource: { name, target } });
const utilization = (percent: number) => resource({ type: 'Utilization', averageUtilization: percent });
/** Values of the pods in millicores; undefined: none. */
const values = (...list: (number | undefined)[]): MetricSamples => ({
  pods: new Map(list.flatMap((value, index) => (value === undefined ? [] : [[`p${index}`, value] as const]))),
});

interface Case {
  metrics: Metric[];
  samples: MetricSamples[];
  pods: Pod[];
  replicas?: number;
  spec?: Partial<HorizontalPodAutoscaler['spec']>;
}

function inputOf({ metrics, samples, pods: list, replicas = list.length, spec }: Case): AutoscalerInput {
  return {
    autoscaler: {
      metadata: { name: 'web', namespace: 'ns' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 100, metrics, ...spec },
    },
    scale: { replicas, currentReplicas: replicas, selector: 'app=web' },
    pods: list,
    controlledBy: [{ name: 'web', namespace: 'ns' }],
    samples,
    // Old enough to be no limit.
    memory: { recommendations: [], scaledUp: [], scaledDown: [] },
    now,
  };
}

const decide = (each: Case) => reconcileHorizontalPodAutoscaler(inputOf(each));
const sizeOf = (each: Case) => decide(each).replicas ?? 'stays';
const condition = (decision: ReturnType<typeof decide>, type: string) => {
  const found = decision.status.conditions?.find((each) => each.type === type);
  return found && `${found.status} ${found.reason}: ${found.message}`;
};

describe('the replicas for a utilization of CPU consider', () => {
  const at50 = (list: Pod[], ...millis: (number | undefined)[]) =>
    sizeOf({ metrics: [utilization(50)], samples: [values(...millis)], pods: list });

  it.each([
    ['usage above the target', 5, ready(3), [800, 800, 800]],
    ['usage below the target', 2, ready(3), [300, 250, 350]],
    ['usage within a tenth of the target', 'stays', ready(3), [520, 540, 550]],
    ['no usage', 1, ready(3), [0, 0, 0]],
    ['a pod without a value, as idle above the target', 4, ready(3), [900, 900, undefined]],
    ['a pod without a value, as busy below the target', 'stays', ready(2), [100, undefined]],
    ['a pending pod, as idle above the target', 4, pods({}, {}, { phase: 'Pending' }), [900, 900]],
    ['a pending pod, without an effect below the target', 1, pods({}, {}, { phase: 'Pending' }), [100, 100]],
    ['failed and deleted pods, never', 2, pods({}, { phase: 'Failed' }, { deleted: true }), [900, 900, 900]],
    ['a pod that is not ready in its first five minutes, as idle', 'stays', pods({}, { age: 60, ready: false }), [900, 700]],
    ['a pod that became ready less than 10 s ago, as idle', 'stays', pods({}, { age: 60, changed: 9 }), [900, 700]],
    ['a pod that became ready 10 s ago', 4, pods({}, { age: 60, changed: 10 }), [900, 700]],
    ['an old pod that was ready once', 4, pods({}, { ready: false, changed: 60 }), [900, 700]],
    ['an old pod that was never ready, as idle', 'stays', pods({}, { ready: false, age: 3600, changed: 3580 }), [900, 700]],
  ] as const)('%s: %s', (_what, expected, list, millis) => {
    expect(at50(list as Pod[], ...millis)).toBe(expected);
  });
});

describe('a metric is compared with its target:', () => {
  const external = (target: object): Metric => ({ type: 'External', external: { metric: { name: 'queue' }, target } });
  const object = (target: object): Metric => ({
    type: 'Object',
    object: { metric: { name: 'rate' }, describedObject: { kind: 'Service', name: 'web' }, target },
  });
  const perPod: Metric = { type: 'Pods', pods: { metric: { name: 'rate' }, target: { type: 'AverageValue', averageValue: '10' } } };
  const container: Metric = {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'main', target: { type: 'Utilization', averageUtilization: 50 } },
  };
  const memory = resource({ type: 'AverageValue', averageValue: '100Mi' }, 'memory');
  const value = (amount: number) => ({ value: amount * 1_000 });
  const mebi = (amount: number) => amount * 2 ** 20 * 1_000;

  it.each([
    [
      'CPU of one container',
      container,
      values(800, 800),
      4,
      { averageUtilization: 80, averageValue: '800m' },
      'cpu container resource utilization (percentage of request)',
    ],
    ['memory of a pod', memory, values(mebi(150), mebi(150)), 3, { averageValue: '150Mi' }, 'memory resource'],
    ['a metric of pods', perPod, values(25_000, 5_000), 3, { averageValue: '15' }, 'pods metric rate'],
    ['a metric of pods that one does not have', perPod, values(30_000, undefined), 3, { averageValue: '30' }, 'pods metric rate'],
    ['a metric of an object', object({ type: 'Value', value: '10' }), value(15), 3, { value: '15' }, 'Service metric rate'],
    [
      'a metric of an object that pods share',
      object({ type: 'AverageValue', averageValue: '10' }),
      value(35),
      4,
      { averageValue: '17500m' },
      'external metric rate(nil)',
    ],
    ['an external metric', external({ type: 'Value', value: '10' }), value(2), 1, { value: '2' }, 'external metric queue(nil)'],
    [
      'an external metric that pods share',
      external({ type: 'AverageValue', averageValue: '10' }),
      value(21),
      'stays',
      { averageValue: '10500m' },
      'external metric queue(nil)',
    ],
  ] as const)('%s', (_what, metric, samples, expected, current, name) => {
    const decision = decide({ metrics: [metric], samples: [samples], pods: ready(2) });
    expect(decision.replicas ?? 'stays').toBe(expected);
    const [shown] = decision.status.currentMetrics as unknown as Record<string, object>[];
    expect(Object.values(shown ?? {})[1]).toMatchObject({ current });
    expect(condition(decision, 'ScalingActive')).toBe(
      `True ValidMetricFound: the HPA was able to successfully calculate a replica count from ${name}`,
    );
  });

  it('the highest of several counts', () => {
    const each = { metrics: [utilization(50), perPod], samples: [values(600, 600), values(14_000, 14_000)], pods: ready(2) };
    expect(decide(each).events).toEqual([
      {
        type: 'Normal',
        reason: 'SuccessfulRescale',
        message: 'New size: 3; reason: cpu resource utilization (percentage of request) above target',
      },
    ]);
  });

  it('one without a value lets the others scale up, but not down', () => {
    const problem = { problem: 'no metrics returned from custom metrics API' };
    const each = (millis: number) =>
      decide({ metrics: [perPod, utilization(50)], samples: [problem, values(millis, millis)], pods: ready(2) });
    expect(each(900).replicas).toBe(4);
    const refused = each(100);
    expect(refused.replicas).toBeUndefined();
    expect(refused.status).toMatchObject({ currentReplicas: 2, desiredReplicas: 0, currentMetrics: [{ type: '' }, { type: 'Resource' }] });
    const cause = 'unable to get metric rate: no metrics returned from custom metrics API';
    expect(condition(refused, 'ScalingActive')).toBe(
      `False FailedGetPodsMetric: the HPA was unable to compute the replica count: ${cause}`,
    );
    expect(refused.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      `FailedGetPodsMetric: ${cause}`,
      `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 2), first error is: failed to get pods metric value: ${cause}`,
    ]);
  });
});

describe('reports what keeps it from scaling:', () => {
  const problems = (each: Case) =>
    decide(each)
      .events.filter(({ reason }) => reason.startsWith('FailedGet'))
      .map(({ reason, message }) => `${reason}: ${message}`);
  const noRequest = (): Pod => ({ ...podOf(0, {}), spec: { containers: [{ name: 'main', image: 'app:1' }] } });

  it.each([
    ['unready pods', [podOf(0, { phase: 'Pending' })], values(900), 'did not receive metrics for targeted pods (pods might be unready)'],
    ['no pods', [], values(900), 'no pods returned by selector while calculating replica count'],
    ['pods without a request', [noRequest()], values(900), 'missing request for cpu in container main of Pod p0'],
    [
      'no metrics server',
      [podOf(0, {})],
      { problem: 'unable to fetch metrics from resource metrics API: not found' },
      'unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: not found',
    ],
  ] as const)('%s', (_what, list, samples, problem) => {
    expect(problems({ metrics: [utilization(50)], samples: [samples], pods: [...list], replicas: 1 })).toEqual([
      `FailedGetResourceMetric: failed to get cpu utilization: ${problem}`,
    ]);
  });

  const input = inputOf({ metrics: [utilization(50)], samples: [values(900, 900)], pods: ready(2) });
  const scale = { replicas: 2, currentReplicas: 2, selector: 'app=web' };
  const both = [...input.controlledBy, { name: 'also', namespace: 'ns' }];

  it.each([
    [
      'a target that does not exist',
      { scale: { problem: 'deployments/scale.apps "web" not found' } },
      'AbleToScale',
      `False FailedGetScale: the HPA controller was unable to get the target's current scale: deployments/scale.apps "web" not found`,
      ['FailedGetScale'],
    ],
    [
      'a target with no replicas',
      { scale: { ...scale, replicas: 0 } },
      'ScalingActive',
      'False ScalingDisabled: scaling is disabled since the replica count of the target is zero',
      [],
    ],
    [
      'a target without a selector',
      { scale: { ...scale, selector: '' } },
      'ScalingActive',
      "False InvalidSelector: the HPA target's scale is missing a selector",
      ['SelectorRequired', 'FailedComputeMetricsReplicas'],
    ],
    [
      'an unreadable selector',
      { scale: { ...scale, selectorProblem: 'no key' } },
      'ScalingActive',
      "False InvalidSelector: couldn't convert selector into a corresponding internal selector object: no key",
      ['InvalidSelector', 'FailedComputeMetricsReplicas'],
    ],
    [
      'two autoscalers of the same pods',
      { controlledBy: both },
      'ScalingActive',
      'False AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: [{also ns} {web ns}]',
      ['AmbiguousSelector', 'FailedComputeMetricsReplicas'],
    ],
    [
      'a target that refuses to scale',
      { refusal: 'denied' },
      'AbleToScale',
      'False FailedUpdateScale: the HPA controller was unable to update the target scale: denied',
      ['FailedRescale'],
    ],
  ] as const)('%s', (_what, change, type, expected, reasons) => {
    const decision = reconcileHorizontalPodAutoscaler({ ...input, ...(change as Partial<AutoscalerInput>) });
    expect(decision.replicas).toBeUndefined();
    expect(condition(decision, type)).toBe(expected);
    expect(decision.events.map(({ reason }) => reason)).toEqual(reasons);
  });
});

describe('follows a metric, every 15 s,', () => {
  const queue: Metric = { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '1' } } };

  /** The sizes of a target whose metric asks for these numbers of replicas. */
  function follow(from: number, wanted: readonly number[], spec: Partial<HorizontalPodAutoscaler['spec']> = {}) {
    let size = from;
    let last = decide({ metrics: [queue], samples: [{ value: from * 1_000 }], pods: [], replicas: from, spec });
    const sizes: number[] = [];
    for (const [index, count] of wanted.entries()) {
      const each = { metrics: [queue], samples: [{ value: count * 1_000 }], pods: [], replicas: size, spec };
      const { autoscaler, ...input } = inputOf(each);
      last = reconcileHorizontalPodAutoscaler({
        ...input,
        autoscaler: { ...autoscaler, status: last.status },
        memory: index === 0 ? undefined : last.memory,
        now: now + index * 15_000,
      });
      size = last.replicas ?? size;
      sizes.push(size);
    }
    return { sizes, last };
  }
  const times = (count: number, value: number) => Array.from({ length: count }, () => value);
  const rules = (type: string, value: number, periodSeconds: number, more: ScalingRules = {}): ScalingRules => ({
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [{ type, value, periodSeconds }],
    ...more,
  });
  const behavior = (scaleUp: ScalingRules, scaleDown: ScalingRules = rules('Percent', 100, 15)) => ({ behavior: { scaleUp, scaleDown } });
  const free = rules('Percent', 900, 15);

  it('to at most twice as many or four replicas at a time', () => {
    const { sizes } = follow(1, times(4, 30));
    expect(sizes).toEqual([4, 8, 16, 30]);
  });

  it('down only five minutes after the last higher recommendation', () => {
    const { sizes } = follow(9, [9, ...times(20, 3)]);
    expect(sizes).toEqual([...times(20, 9), 3]);
  });

  it.each([
    ['Pods', rules('Pods', 2, 30), 5, [10, 10, 10, 10, 10, 10], [7, 7, 9, 9, 10, 10]],
    ['Percent, rounded up', rules('Percent', 50, 15), 3, [20, 20, 20, 20], [5, 8, 12, 18]],
    [
      'the larger of two',
      { ...free, policies: [...(rules('Pods', 1, 15).policies ?? []), ...(rules('Percent', 100, 15).policies ?? [])] },
      4,
      [20, 20],
      [8, 16],
    ],
    [
      'the smaller of two',
      { ...free, selectPolicy: 'Min', policies: [...(rules('Pods', 1, 15).policies ?? []), ...(rules('Percent', 100, 15).policies ?? [])] },
      4,
      [20, 20],
      [5, 6],
    ],
    ['Disabled', { ...free, selectPolicy: 'Disabled' }, 4, [20, 20], [4, 4]],
    ['the lowest of the last minute', { ...free, stabilizationWindowSeconds: 60 }, 2, [2, 20, 20, 15, 20, 20], [2, 2, 2, 2, 15, 15]],
  ] as const)('up by the policy %s', (_what, scaleUp, from, wanted, sizes) => {
    expect(follow(from, wanted, behavior(scaleUp)).sizes).toEqual(sizes);
  });

  it.each([
    ['Pods', rules('Pods', 2, 30), 9, [1, 1, 1, 1, 1], [7, 7, 5, 5, 3]],
    ['Percent, rounded down', rules('Percent', 50, 15), 9, [1, 1, 1, 1], [4, 2, 1, 1]],
    ['Disabled', rules('Percent', 100, 15, { selectPolicy: 'Disabled' }), 9, [1, 1], [9, 9]],
    [
      'the highest of the last minute',
      rules('Percent', 100, 15, { stabilizationWindowSeconds: 60 }),
      9,
      [9, 1, 2, 1, 1, 1, 1],
      [9, 9, 9, 9, 2, 2, 1],
    ],
  ] as const)('down by the policy %s', (_what, scaleDown, from, wanted, sizes) => {
    expect(follow(from, wanted, behavior(free, scaleDown)).sizes).toEqual(sizes);
  });

  it('outside of the tolerance of its direction', () => {
    const spec = behavior({ ...free, tolerance: '0.5' }, rules('Percent', 100, 15, { tolerance: '0' }));
    expect(follow(10, [15, 16, 16, 15], spec).sizes).toEqual([10, 16, 16, 15]);
  });

  it.each([
    ['ReadyForNewScale', 'DesiredWithinRange', 3, [3], {}],
    ['ScaleDownStabilized', 'DesiredWithinRange', 3, [3, 2], {}],
    ['ScaleUpStabilized', 'DesiredWithinRange', 3, [3, 9], behavior({ ...free, stabilizationWindowSeconds: 60 })],
    ['SucceededRescale', 'ScaleUpLimit', 3, [50], {}],
    ['SucceededRescale', 'TooManyReplicas', 3, [50], { maxReplicas: 5 }],
    ['SucceededRescale', 'TooFewReplicas', 5, [1], { ...behavior(free), minReplicas: 3 }],
    ['SucceededRescale', 'ScaleDownLimit', 5, [1], behavior(free, rules('Pods', 1, 15))],
  ] as const)('with the conditions %s and %s', (able, limited, from, wanted, spec) => {
    const { last } = follow(from, wanted, spec);
    const reason = (type: string) => last.status.conditions?.find((each) => each.type === type)?.reason;
    expect([reason('AbleToScale'), reason('ScalingLimited')]).toEqual([able, limited]);
  });

  it('into its bounds without its metrics', () => {
    const bounds = { minReplicas: 3, maxReplicas: 6 };
    const broken = (replicas: number) => decide({ metrics: [queue], samples: [{ problem: 'none' }], pods: [], replicas, spec: bounds });
    const message = ({ events }: ReturnType<typeof decide>) => events.map((event) => event.message);
    expect(message(broken(9))).toEqual(['New size: 6; reason: Current number of replicas above Spec.MaxReplicas']);
    expect(message(broken(1))).toEqual(['New size: 3; reason: Current number of replicas below Spec.MinReplicas']);
  });

  it('and keeps the times of the last scaling and of unchanged conditions', () => {
    const { last } = follow(3, [6, 6, 6]);
    expect(last.status).toMatchObject({ lastScaleTime: formatTime(now), currentReplicas: 6, desiredReplicas: 6 });
    expect(new Set(last.status.conditions?.map(({ lastTransitionTime }) => lastTransitionTime))).toEqual(new Set([formatTime(now)]));
    expect(last.status.conditions?.map(({ type }) => type)).toEqual(['AbleToScale', 'ScalingActive', 'ScalingLimited']);
  });
});
