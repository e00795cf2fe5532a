/** A metric's definition. Names, labels and help texts are those of the kubelet. */
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

/** Creates metrics. Calling it twice with one name returns the same metric. */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: MetricDefinition & { buckets?: readonly number[] }): Histogram;
}

/** Discards all values. The default of every package. */
export const noMetrics: Metrics = {
  counter: () => ({ inc() {} }),
  gauge: () => ({ set() {} }),
  histogram: () => ({ observe() {} }),
};
