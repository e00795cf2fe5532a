/**
 * Text in Prometheus' exposition format, in which each metric's samples must lie together whatever the order they are found in. Each
 * sample is written once, as text.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export class Exposition {
  readonly #families = new Map<string, string[]>();

  /** Announces a metric; those that get no sample are not told. The order of announcements is that of the text. */
  declare(name: string, type: 'counter' | 'gauge', help: string): void {
    if (!this.#families.has(name)) this.#families.set(name, [`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`]);
  }

  /** Adds a sample of a declared metric, unless its value is unknown. `labels` is what {@link labelText} made; `time` in milliseconds. */
  add(name: string, labels: string, value: number | string | bigint | undefined, time?: number): void {
    if (value === undefined) return;
    const samples = this.#families.get(name);
    if (samples === undefined) throw new RangeError(`metric ${name} is not declared`);
    samples.push(`${name}${labels === '' ? '' : `{${labels}}`} ${value}${time === undefined ? '' : ` ${time}`}\n`);
  }

  toString(): string {
    let text = '';
    for (const samples of this.#families.values()) if (samples.length > 1) text += samples.join('');
    return text;
  }
}

/** Labels as they stand between braces. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escapeLabel(labels[name] ?? '')}"`;
  return text;
}

const special = /[\\"\n]/;

function escapeLabel(value: string): string {
  if (!special.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Nanoseconds as seconds, as the text of a number. */
export function seconds(nanos: bigint | undefined): number | undefined {
  return nanos === undefined ? undefined : Number(nanos) / 1e9;
}
