import { isObject } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import { metricProblems, referenceProblems, scalingProblems } from './autoscaler-fields.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { fillIn } from './workloads.js';

const cpuTarget = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };

const policy = (type: 'Pods' | 'Percent', value: number) => ({ type, value, periodSeconds: 15 });
const scaleUp = { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [policy('Pods', 4), policy('Percent', 100)] };
const scaleDown = { selectPolicy: 'Max', policies: [policy('Percent', 100)] };

interface AutoscalerSpec {
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: Record<string, unknown>[];
  behavior?: Record<string, unknown>;
  scaleTargetRef?: { apiVersion?: string; kind?: string; name?: string };
}

/** Defaults: Kubernetes API reference, "HorizontalPodAutoscaler". */
function setDefaults(object: ApiObject): void {
  object.spec ??= {};
  const spec = object.spec as AutoscalerSpec;
  fillIn(object, { spec: { minReplicas: 1 } });
  if (!spec.metrics?.length) spec.metrics = [structuredClone(cpuTarget)];
  if (isObject(spec.behavior)) fillIn(spec.behavior, { scaleUp, scaleDown });
}

/** Only the core group has no name, and of its kinds only ReplicationControllers scale. */
const withoutGroup = (apiVersion: string): KindFieldProblem[] => [
  { field: 'spec.scaleTargetRef.apiVersion', problem: `Invalid value: ${JSON.stringify(apiVersion)}: apiVersion must specify API group` },
];

export const autoscalerRules: KindRules = {
  applyDefaults: setDefaults,
  prepareUpdate: setDefaults,
  validate(object): KindFieldProblem[] {
    const { minReplicas = 1, maxReplicas = 0, scaleTargetRef = {} } = object.spec as AutoscalerSpec;
    const { metrics = [], behavior = {} } = object.spec as AutoscalerSpec;
    const { apiVersion = '', kind } = scaleTargetRef;
    const replicas = (field: string, value: number, rule: string) => [
      { field: `spec.${field}`, problem: `Invalid value: ${value}: ${rule}` },
    ];
    return [
      ...(minReplicas < 1 ? replicas('minReplicas', minReplicas, 'must be greater than or equal to 1') : []),
      ...(maxReplicas === 0 ? [{ field: 'spec.maxReplicas', problem: 'Required value: must be set and greater than 0' }] : []),
      ...(maxReplicas < 0 ? replicas('maxReplicas', maxReplicas, 'must be greater than or equal to 1') : []),
      ...(maxReplicas < minReplicas ? replicas('maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`') : []),
      ...referenceProblems(scaleTargetRef, 'spec.scaleTargetRef'),
      ...(apiVersion.includes('/') || kind === 'ReplicationController' ? [] : withoutGroup(apiVersion)),
      ...metrics.flatMap((metric, index) => metricProblems(metric, `spec.metrics[${index}]`)),
      ...['scaleUp', 'scaleDown'].flatMap((field) =>
        isObject(behavior[field]) ? scalingProblems(behavior[field], `spec.behavior.${field}`) : [],
      ),
    ];
  },
};
