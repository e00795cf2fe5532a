import {
  type Counter,
  type Gauge,
  type Histogram,
  invalidOption,
  type MetricDefinition,
  type MetricLabels,
  type Metrics,
} from '@nodeagent/api';
import { metricHead, metricLabels, metricValue } from '@nodeagent/api/helpers';

/** Stores the metrics of an agent and exports them in Prometheus' text format. */
export interface MetricsRegistry extends Metrics {
  /** The metrics whose names pass the filter, in Prometheus' text format. Default: all. */
  text(passes?: (name: string) => boolean): string;
}

export interface MetricsRegistryOptions {
  /** Maximum number of series per metric; the least recently changed ones are removed first. Default 2000. */
  seriesPerMetric?: number;
}

/** Default histogram buckets: those of Prometheus, in seconds. */
const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Family {
  type: 'counter' | 'gauge' | 'histogram';
  definition: MetricDefinition;
  metric: Counter | Gauge | Histogram;
  write(lines: string[]): void;
}

/**
 * Creates an empty registry. The number of series is bounded, because label values such as pod names change over time.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function createMetricsRegistry(options: MetricsRegistryOptions = {}): MetricsRegistry {
  const { seriesPerMetric = 2_000 } = options;
  if (!(Number.isInteger(seriesPerMetric) && seriesPerMetric > 0)) {
    throw invalidOption('seriesPerMetric', 'a whole number above 0', seriesPerMetric);
  }
  const families = new Map<string, Family>();

  const family = <T extends Counter | Gauge | Histogram>(
    type: Family['type'],
    definition: MetricDefinition,
    make: () => { metric: T; write(lines: string[]): void },
  ): T => {
    const known = families.get(definition.name);
    if (known !== undefined) {
      if (known.type !== type) throw invalidOption(`metric ${definition.name}`, `a ${known.type} as before`, type);
      return known.metric as T;
    }
    const made = { type, definition, ...make() };
    families.set(definition.name, made);
    return made.metric;
  };

  return {
    counter: (definition) =>
      family('counter', definition, () => {
        const series = createSeries<{ value: number }>(definition, seriesPerMetric, () => ({ value: 0 }));
        return {
          metric: {
            inc: (labels, by = 1) => {
              series.of(labels).value += by;
            },
          },
          write: (lines) => series.each((labels, { value }) => lines.push(sample(definition.name, labels, value))),
        };
      }),
    gauge: (definition) =>
      family('gauge', definition, () => {
        const series = createSeries<{ value: number }>(definition, seriesPerMetric, () => ({ value: 0 }));
        return {
          metric: {
            set: (value, labels) => {
              series.of(labels).value = value;
            },
          },
          write: (lines) => series.each((labels, { value }) => lines.push(sample(definition.name, labels, value))),
        };
      }),
    histogram: (definition) =>
      family('histogram', definition, () => histogram(definition, definition.buckets ?? defaultBuckets, seriesPerMetric)),
    text(passes = () => true) {
      const lines: string[] = [];
      for (const name of [...families.keys()].filter(passes).sort()) {
        const { type, definition, write } = families.get(name) as Family;
        const samples: string[] = [];
        write(samples);
        if (samples.length === 0) continue;
        lines.push(metricHead(name, type, definition.help), ...samples);
      }
      return lines.join('');
    },
  };
}

function histogram(definition: MetricDefinition, buckets: readonly number[], size: number) {
  const { name } = definition;
  const series = createSeries(definition, size, () => ({ counts: new Array<number>(buckets.length + 1).fill(0), sum: 0 }));
  const metric: Histogram = {
    observe(value, labels) {
      const one = series.of(labels);
      const at = buckets.findIndex((bound) => value <= bound);
      const bucket = at < 0 ? buckets.length : at;
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      one.sum += value;
    },
  };
  const write = (lines: string[]) =>
    series.each((labels, { counts, sum }) => {
      let total = 0;
      const comma = labels === '' ? '' : ',';
      counts.forEach((count, at) => {
        total += count;
        lines.push(sample(`${name}_bucket`, `${labels}${comma}le="${buckets[at] ?? '+Inf'}"`, total));
      });
      lines.push(sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, total));
    });
  return { metric, write };
}

/** The series by label values, in the order of their last change. */
function createSeries<T>({ labels: names = [] }: MetricDefinition, size: number, make: () => T) {
  const values = new Map<string, T>();
  return {
    of(labels: MetricLabels = {}): T {
      const key = metricLabels(labels, names);
      const value = values.get(key) ?? make();
      values.delete(key);
      values.set(key, value);
      if (values.size > size) values.delete(values.keys().next().value as string);
      return value;
    },
    each(visit: (labels: string, value: T) => void): void {
      for (const [key, value] of values) visit(key, value);
    },
  };
}

const sample = (name: string, labels: string, value: number) => `${name}${labels === '' ? '' : `{${labels}}`} ${metricValue(value)}\n`;
