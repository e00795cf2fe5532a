import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogDecoder } from './log-decoder.js';
import { detectFormat, parseCriLine, parseDockerLine } from './parse-line.js';
import { findTailStart } from './tail-start.js';
import { formatTimestamp, parseTimestamp } from './timestamp.js';

// fast-check prints the seed and the path of a counterexample.
const runs = { numRuns: 500 };
const time = fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true });
const timestamp = fc
  .record({ time, fraction: fc.stringMatching(/^[0-9]{0,12}$/), zone: fc.constantFrom('Z', '+02:00', '-07:30', '+00:00', '+14:00') })
  .map(({ time, fraction, zone }) => `${time.toISOString().slice(0, 19)}${fraction && `.${fraction}`}${zone}`);
const line = fc
  .record({
    timestamp,
    stream: fc.constantFrom('stdout', 'stderr'),
    tags: fc.constantFrom('F', 'P', 'P:x', 'F:P', ''),
    text: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '')),
  })
  .map(({ timestamp, stream, tags, text }) => ({
    text: `${timestamp} ${stream} ${tags} ${text}\n`,
    isPartial: /^P(:|$)/.test(tags),
    content: text,
  }));
const parts = [...'0123456789TZ:-+., \n{}"', 'stdout ', 'stderr ', 'F ', 'P ', '2026-01-01T00:00:00Z ', '{"log":"x"}'];
const noise = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.array(fc.constantFrom(...parts)).map((some) => Buffer.from(some.join(''))),
);

describe('the parser of log lines', () => {
  it('parses every valid line', () => {
    fc.assert(
      fc.property(line, ({ text, isPartial, content }) => {
        const bytes = Buffer.from(text);
        const parsed = parseCriLine(bytes);
        if ('problem' in parsed) throw new Error(parsed.problem);
        expect(bytes.subarray(parsed.start, parsed.end).equals(Buffer.from(isPartial ? content : `${content}\n`))).toBe(true);
        expect(parsed.isPartial).toBe(isPartial);
      }),
      runs,
    );
  });

  it('never throws, reads past the end of the line, or detects a wrong format', () => {
    fc.assert(
      fc.property(noise, noise, (bytes, after) => {
        const both = Buffer.concat([bytes, after]);
        const alone = parseCriLine(bytes);
        const within = parseCriLine(both, 0, bytes.length);
        expect({ ...within, bytes: 0 }).toEqual({ ...alone, bytes: 0 });
        const docker = parseDockerLine(bytes);
        expect(detectFormat(bytes)).toBe('problem' in alone ? ('problem' in docker ? undefined : 'docker-json') : 'cri');
      }),
      runs,
    );
  });

  it('keeps timestamps to the nanosecond', () => {
    fc.assert(
      fc.property(timestamp, (text) => {
        const parsed = parseTimestamp(text);
        if (parsed === undefined) throw new Error(`${text} was not read`);
        expect(parsed.seconds).toBe(Math.floor(Date.parse(text.replace(/\.\d+/, '')) / 1000));
        expect(parseTimestamp(formatTimestamp(parsed))).toEqual(parsed);
      }),
      runs,
    );
  });
});

const options = {
  timestamps: true,
  limitBytes: Number.POSITIVE_INFINITY,
  maxLines: Number.POSITIVE_INFINITY,
  streams: 'All',
  onProblem() {},
} as const;

describe('the decoder', () => {
  it('returns the same entries for any split of the bytes, and keeps the unread rest', () => {
    const lines = fc.array(
      fc.oneof(
        line,
        line,
        line,
        noise.map((bytes) => ({ text: `${Buffer.from(bytes).toString('latin1')}\n` })),
      ),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(line, lines, fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (first, rest, sizes) => {
        const input = Buffer.from([first, ...rest].map(({ text }) => text).join(''));
        const whole = new LogDecoder(options);
        whole.decode(Buffer.from(input), input.length, 'closed');
        const piecewise = new LogDecoder(options);
        const pieces: string[] = [];
        let held = Buffer.alloc(0);
        for (let at = 0, index = 0; at < input.length; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          const buffer = Buffer.concat([held, input.subarray(at, at + size)]);
          at += size;
          const used = piecewise.decode(buffer, buffer.length, at >= input.length ? 'closed' : 'open');
          held = buffer.subarray(used);
          expect(held.equals(input.subarray(Math.min(at, input.length) - held.length, at))).toBe(true);
          pieces.push(...piecewise.take().map(({ stream, data }) => `${stream} ${Buffer.from(data).toString('latin1')}`));
        }
        const text = (chunks: readonly string[]) => {
          let [stream, joined] = ['', ''];
          for (const chunk of chunks) {
            const [name = ''] = chunk.split(' ', 1);
            joined += name === stream ? chunk.slice(7) : `<${name}>${chunk.slice(7)}`;
            stream = name;
          }
          return joined;
        };
        expect(text(pieces)).toBe(text(whole.take().map(({ stream, data }) => `${stream} ${Buffer.from(data).toString('latin1')}`)));
      }),
      { numRuns: 200 },
    );
  });
});

describe('the start of a tail', () => {
  it('is the offset that counting all lines gives, also when reads return fewer bytes than requested', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 30 }),
        fc.boolean(),
        fc.nat(35),
        fc.integer({ min: 1_000, max: 100_000 }),
        async (lengths, endsOpen, count, maxRead) => {
          const text = lengths.map((length) => 'x'.repeat(length)).join('\n') + (endsOpen ? '' : '\n');
          const content = Buffer.from(text);
          const file = {
            size: async () => content.length,
            read: async (target: Uint8Array, position: number) =>
              content.copy(target, 0, position, Math.min(content.length, position + Math.min(target.length, maxRead))),
          };
          const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
          expect(await findTailStart(file, count)).toBe(ends.at(-count - 1) ?? 0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
