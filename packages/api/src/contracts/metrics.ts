/** What a metric is; names and labels are the kubelet's own. */
export interface MetricDefinition {
  name: string;
  help: string;
  labels?: readonly string[];
}

export type MetricLabels = Readonly<Record<string, string>>;

export interface Counter {
  inc(labels?: MetricLabels, by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: MetricLabels): void;
}

export interface Histogram {
  /** Durations are in seconds. */
  observe(value: number, labels?: MetricLabels): void;
}

/** Where subsystems count. Asking twice for one name gives the same metric. */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: MetricDefinition & { buckets?: readonly number[] }): Histogram;
}

/** Counts nothing: the default everywhere. */
export const noMetrics: Metrics = {
  counter: () => ({ inc() {} }),
  gauge: () => ({ set() {} }),
  histogram: () => ({ observe() {} }),
};
