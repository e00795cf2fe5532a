import { decodeUtf8, metricHead, metricLabels, metricValue } from '@nodeagent/api/helpers';

/** Labels as {@link labelsOf} encodes them. Samples share them, because labels are the largest part of a page. */
export type Labels = Uint8Array;

/** For a metric without labels. */
export const noLabels: Labels = new Uint8Array();

/** A metric with its samples: four entries each, which are the shared labels, the sample's other labels, value and time. */
interface Family {
  name: Uint8Array;
  head: string;
  samples: (Labels | string)[];
}

/**
 * A page in Prometheus' exposition format, which requires that all samples of a metric are adjacent; callers may add them in any order. The
 * page of a full node has 10 MB. It is assembled as bytes, because joining that many strings is slow.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export class Exposition {
  readonly #families = new Map<string, Family>();
  /** Maximum size of the page in bytes. */
  #capacity = 0;
  #time: number | undefined;
  #timeText = '';

  /** Declares a metric. The page has the metrics in the order of their declarations, without those that have no sample. */
  declare(name: string, type: 'counter' | 'gauge', help: string): void {
    const head = metricHead(name, type, help);
    if (this.#families.has(name)) return;
    this.#families.set(name, { name: encoder.encode(name), head, samples: [] });
    this.#capacity += head.length * longestCharacter;
  }

  /**
   * Adds a sample of a declared metric, unless its value is unknown. `time` is in milliseconds. `more` has the labels of only this sample, as
   * `metricLabels` of api returns them.
   */
  add(name: string, labels: Labels, value: number | bigint | undefined, time?: number, more = ''): void {
    if (value === undefined) return;
    const family = this.#families.get(name);
    if (family === undefined) throw new RangeError(`metric ${name} is not declared`);
    if (time !== this.#time) {
      this.#time = time;
      this.#timeText = time === undefined ? '' : ` ${time}`;
    }
    const text = metricValue(value);
    family.samples.push(labels, more, text, this.#timeText);
    this.#capacity += family.name.length + labels.length + more.length * longestCharacter + text.length + this.#timeText.length + signs;
  }

  toString(): string {
    const page = new Page(this.#capacity);
    for (const { name, head, samples } of this.#families.values()) {
      if (samples.length > 0) page.text(head);
      for (let index = 0; index < samples.length; index += 4) {
        const [labels, more] = [samples[index] as Labels, samples[index + 1] as string];
        page.bytes(name);
        if (labels.length > 0 || more !== '') {
          page.text('{');
          page.bytes(labels);
          if (more !== '') page.text(labels.length > 0 ? `,${more}` : more);
          page.text('}');
        }
        page.text(' ');
        page.text(samples[index + 2] as string);
        page.text(samples[index + 3] as string);
        page.text('\n');
      }
    }
    return page.toString();
  }
}

const encoder = new TextEncoder();
const longestCharacter = 3;

/** Length of the punctuation of a sample: `{,} ` and the end of the line. */
const signs = 5;

/** A buffer of fixed capacity: growing it would copy most of the page. */
class Page {
  readonly #bytes: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  bytes(more: Uint8Array): void {
    this.#bytes.set(more, this.#length);
    this.#length += more.length;
  }

  text(more: string): void {
    for (let index = 0; index < more.length; index++) {
      const code = more.charCodeAt(index);
      if (code > 127) {
        this.#length += encoder.encodeInto(more.slice(index), this.#bytes.subarray(this.#length)).written;
        return;
      }
      this.#bytes[this.#length++] = code;
    }
  }

  toString(): string {
    return decodeUtf8(this.#bytes.subarray(0, this.#length));
  }
}

/** Encodes labels for samples that share them. */
export function labelsOf(labels: Readonly<Record<string, string>>): Labels {
  return encoder.encode(metricLabels(labels));
}

/** Converts nanoseconds to seconds. */
export function seconds(nanos: bigint | undefined): number | undefined {
  return nanos === undefined ? undefined : Number(nanos) / 1e9;
}
