/** A sample of a page of metrics. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: (\d+))?$/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;

/**
 * Reads Prometheus' text format as strictly as a scraper, without code of the writers: each family has its type before its samples,
 * lies together and repeats no sample; the buckets of a histogram grow up to their count. Throws what is wrong with which line.
 */
export function parsePrometheusText(text: string): Sample[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line does not end');
  const types = new Map<string, string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  let family = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const [, comment, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (comment === 'HELP') continue;
    if (comment === 'TYPE') {
      if (types.has(name) || !['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(`not a new family: ${line}`);
      types.set(name, rest);
      family = name;
      continue;
    }
    const [, sampleName = '', labelText = '', valueText = ''] = samplePattern.exec(line) ?? [];
    const suffixes = types.get(family) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (!suffixes.some((suffix) => sampleName === `${family}${suffix}`)) throw new Error(`not of the family ${family}: ${line}`);
    const pairs = [...labelText.matchAll(labelPattern)];
    if (pairs.reduce((length, [pair]) => length + pair.length, 0) !== labelText.length) throw new Error(`labels: ${line}`);
    const value = Number(valueText.replace('Inf', 'Infinity'));
    if (Number.isNaN(value) && valueText !== 'NaN') throw new Error(`value: ${line}`);
    if (types.get(family) === 'counter' && !(value >= 0)) throw new Error(`a counter below zero: ${line}`);
    const key = `${sampleName}{${labelText}}`;
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    samples.push({ name: sampleName, labels: Object.fromEntries(pairs.map(([, label, quoted]) => [label, quoted])), value });
  }
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, samples);
  return samples;
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const keyOf = ({ le: _le, ...labels }: Record<string, string>) => JSON.stringify(labels);
  const last = new Map<string, number>();
  for (const sample of samples) {
    const key = keyOf(sample.labels);
    if (sample.name === `${name}_bucket`) {
      if (sample.value < (last.get(key) ?? 0)) throw new Error(`buckets of ${name} shrink`);
      last.set(key, sample.value);
    }
    if (sample.name === `${name}_count` && sample.value !== last.get(key)) throw new Error(`the count of ${name} is not its last bucket`);
  }
}
