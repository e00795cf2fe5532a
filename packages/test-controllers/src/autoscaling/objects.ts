import type { LabelSelector, ObjectMeta, QuantityText } from '@nodeagent/api';
import type { Condition } from '../workloads/objects.js';

/** A metric of an autoscaler, or its current value. */
export interface MetricTarget {
  type?: string;
  value?: QuantityText;
  averageValue?: QuantityText;
  averageUtilization?: number;
}

export interface ObjectReference {
  apiVersion?: string;
  kind: string;
  name: string;
}

interface MetricIdentifier {
  name: string;
  selector?: LabelSelector;
}

/** The part of a metric that only its type has; `target` is in a spec, `current` in a status. */
export interface MetricSource {
  name?: string;
  container?: string;
  metric?: MetricIdentifier;
  describedObject?: ObjectReference;
  target?: MetricTarget;
  current?: MetricTarget;
}

/** `autoscaling/v2`, `MetricSpec` or `MetricStatus`. */
export interface Metric {
  type: string;
  resource?: MetricSource;
  containerResource?: MetricSource;
  pods?: MetricSource;
  object?: MetricSource;
  external?: MetricSource;
}

/** `autoscaling/v2`, `HPAScalingRules`. */
export interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  tolerance?: QuantityText;
  policies?: readonly { type: string; value: number; periodSeconds: number }[];
}

/** `autoscaling/v2`, `HorizontalPodAutoscaler`: the fields that its controller reads and writes. */
export interface HorizontalPodAutoscaler {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: {
    scaleTargetRef: ObjectReference;
    minReplicas?: number;
    maxReplicas: number;
    metrics?: readonly Metric[];
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
  };
  status?: AutoscalerStatus;
}

export interface AutoscalerStatus {
  lastScaleTime?: string;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: readonly (Metric | { type: '' })[] | null;
  conditions?: readonly Condition[];
}
