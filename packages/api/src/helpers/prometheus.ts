/**
 * The lines that announce a metric in Prometheus' text format.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricHead(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
}

/** Labels as the text between the braces of a sample: those of `names`, in their order; an absent one is empty. Default: all. */
export function metricLabels(labels: Readonly<Record<string, string>>, names: readonly string[] = Object.keys(labels)): string {
  let text = '';
  for (const name of names) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] ?? '')}"`;
  return text;
}

const special = /[\\"\n]/;

function escaped(value: string): string {
  if (!special.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** The value of a sample: a bigint in the safe range is converted first, because formatting a bigint is slower. */
export function metricValue(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value <= Number.MAX_SAFE_INTEGER ? Number(value) : value);
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
