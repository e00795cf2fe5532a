import { describe, expect, it } from 'vitest';
import { createMetricsRegistry } from './registry.js';

describe('a metrics registry', () => {
  it('writes its metrics in the Prometheus text format, sorted by name', () => {
    const registry = createMetricsRegistry();
    registry.gauge({ name: 'b', help: 'A\nb\\c.' }).set(Number.POSITIVE_INFINITY);
    const counter = registry.counter({ name: 'a_total', help: 'Counts.', labels: ['x', 'y'] });
    counter.inc({ x: '1', y: 'q"\\\n' });
    counter.inc({ x: '1', y: 'q"\\\n' }, 2.5);
    counter.inc({ x: '2', unknown: 'dropped' });
    const histogram = registry.histogram({ name: 'h', help: 'Times.', labels: ['op'], buckets: [0.1, 1] });
    for (const value of [0.1, 0.5, 7]) histogram.observe(value, { op: 'z' });
    registry.counter({ name: 'never', help: 'Nothing.' });
    expect(registry.text()).toBe(
      [
        '# HELP a_total Counts.',
        '# TYPE a_total counter',
        'a_total{x="1",y="q\\"\\\\\\n"} 3.5',
        'a_total{x="2",y=""} 1',
        '# HELP b A\\nb\\\\c.',
        '# TYPE b gauge',
        'b +Inf',
        '# HELP h Times.',
        '# TYPE h histogram',
        'h_bucket{op="z",le="0.1"} 1',
        'h_bucket{op="z",le="1"} 2',
        'h_bucket{op="z",le="+Inf"} 3',
        'h_sum{op="z"} 7.6',
        'h_count{op="z"} 3',
        '',
      ].join('\n'),
    );
    expect(registry.text((name) => name === 'b')).not.toContain('a_total');
  });

  it('returns the same metric for the same name, and refuses another type of it', () => {
    const registry = createMetricsRegistry();
    registry.counter({ name: 'a', help: '' }).inc();
    registry.counter({ name: 'a', help: '' }).inc();
    expect(registry.text()).toContain('\na 2\n');
    expect(() => registry.gauge({ name: 'a', help: '' })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field: 'metric a' } }),
    );
  });

  it('refuses a limit of series that is not positive', () => {
    expect(() => createMetricsRegistry({ seriesPerMetric: 0 })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field: 'seriesPerMetric' } }),
    );
  });

  it('drops the least recently changed series at the limit', () => {
    const registry = createMetricsRegistry({ seriesPerMetric: 2 });
    const gauge = registry.gauge({ name: 'g', help: '', labels: ['pod'] });
    for (const pod of ['a', 'b', 'a', 'c']) gauge.set(1, { pod });
    expect(registry.text().match(/pod="\w"/g)).toEqual(['pod="a"', 'pod="c"']);
    expect(() => createMetricsRegistry({ seriesPerMetric: 0 })).toThrow('seriesPerMetric');
  });
});
