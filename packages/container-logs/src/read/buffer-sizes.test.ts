import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createLogReader, type LogReadOptions } from './log-reader.js';
import { createMemorySource } from './memory-source.js';

const path = '/logs/0.log';
const long = 'x'.repeat(150);
const log = [
  '2026-01-01T10:00:00Z stdout F one\n',
  '2026-01-01T10:00:01.5Z stderr P out \n',
  '2026-01-01T10:00:01.500000001Z stderr P: of\n',
  '2026-01-01T10:00:01.6Z stderr F  memory\n',
  '2026-01-01T12:00:02+02:00 stdout F \n',
  'malformed\n',
  '2026-01-01T10:00:03.123456789Z stdout P \n',
  `2026-01-01T10:00:03.123456789Z stderr F ${long}\n`,
  '2026-01-01T10:00:04Z stdout P no newline',
];
const [one, memory, none, xs] = ['one\n', 'out of memory\n', '\n', `${long}\n`];

/** Each option of the reader with the output of the log. */
const cases: [LogReadOptions, string][] = [
  [{}, `${one}${memory}${none}${xs}no newline`],
  [
    { timestamps: true },
    `2026-01-01T10:00:00.000000000Z ${one}2026-01-01T10:00:01.500000000Z ${memory}2026-01-01T12:00:02.000000000+02:00 ${none}` +
      `2026-01-01T10:00:03.123456789Z 2026-01-01T10:00:03.123456789Z ${xs}2026-01-01T10:00:04.000000000Z no newline`,
  ],
  [{ since: '2026-01-01T10:00:01.500000001Z' }, `of memory\n${none}${xs}no newline`],
  [{ since: '2026-01-01T11:00:00Z' }, ''],
  [{ streams: 'Stdout' }, `${one}${none}no newline`],
  [{ streams: 'Stderr', timestamps: true, since: '2026-01-01T10:00:02Z' }, `2026-01-01T10:00:03.123456789Z ${xs}`],
  [{ limitBytes: 1 }, 'o'],
  [{ limitBytes: 60 }, `${one}${memory}${none}${long.slice(0, 41)}`],
  [{ limitBytes: 40, timestamps: true }, `2026-01-01T10:00:00.000000000Z ${one}2026-`],
];
/** With `tailLines`, and what follows the tail when the log is followed. */
const tails: [LogReadOptions, string, string][] = [
  [{ tailLines: 0 }, '', 'no newline'],
  [{ tailLines: 1 }, xs, 'no newline'],
  [
    { tailLines: 2, timestamps: true, limitBytes: 200 },
    `2026-01-01T10:00:03.123456789Z 2026-01-01T10:00:03.123456789Z ${long.slice(0, 138)}`,
    '',
  ],
  [{ tailLines: 6 }, `of memory\n${none}${xs}no newline`, ''],
  [{ tailLines: 100, since: '2026-01-01T10:00:02Z' }, `${none}${xs}no newline`, ''],
];

const sizes = Array.from({ length: 300 }, (_, index) => index + 1);

function readerOf(bufferBytes: number) {
  const clock = createVirtualClock({ start: Date.UTC(2026, 0, 1) });
  const source = createMemorySource();
  const reader = createLogReader({ clock, source, bufferBytes });
  const read = async (options: LogReadOptions, output: Uint8Array[] = []) => {
    for await (const { data } of reader.read(path, options)) output.push(data);
    return Buffer.concat(output).toString();
  };
  return { clock, source, append: source.create(path), read };
}

/** The different outputs of all buffer sizes. */
async function outputs(readWith: (bufferBytes: number) => Promise<string>): Promise<Set<string>> {
  return new Set(await Promise.all(sizes.map(readWith)));
}

describe('a log read with a buffer of 1 to 300 bytes', () => {
  it.each<[LogReadOptions, string, string?]>([...cases, ...tails])('has the same output with %o', async (options, expected) => {
    const readWith = (size: number) => {
      const { append, read } = readerOf(size);
      append(log.join(''));
      return read(options);
    };
    expect(await outputs(readWith)).toEqual(new Set([expected]));
  });

  it.each<[LogReadOptions, string, string?]>([...cases, ...tails])(
    'has the same output when a terminated container is followed with %o',
    async (options, expected, followed = '') => {
      const readWith = (size: number) => {
        const { clock, append, read } = readerOf(size);
        append(log.join(''));
        return clock.run(read({ ...options, follow: true, ended: async () => {} }));
      };
      expect(await outputs(readWith)).toEqual(new Set([expected + followed]));
    },
  );

  it.each(cases)('has the same output when it grows and is rotated while it is followed with %o', async (options, expected) => {
    const readWith = async (size: number) => {
      const { clock, source, append, read } = readerOf(size);
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const output = read({ ...options, follow: true, ended: () => ended });
      const [before, after] = [log.slice(0, 4).join(''), log.slice(4).join('')];
      for (let at = 0; at < before.length; at += 50) {
        append(before.slice(at, at + 50));
        await clock.advance(100);
      }
      source.rename(path, `${path}.1`);
      source.create(path)(after);
      end();
      return clock.run(output);
    };
    expect(await outputs(readWith)).toEqual(new Set([expected]));
  });
});

describe('a log larger than the buffer', () => {
  const written = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index)).join('');
  const textOf = (count: number, line: (index: number) => string) => {
    const { append, read } = readerOf(128 * 1024);
    append(written(count, (index) => `2026-01-01T10:00:00.000000000Z stdout F ${line(index)}`));
    return read;
  };

  it.each([
    ['20,000 short lines', 20_000, (index: number) => `line ${index}\n`],
    ['72,727 lines of 10 bytes', 72_727, (index: number) => `${String(index).padStart(10, '0')}\n`],
  ])('keeps all of %s, and all of its last lines', async (_, count, line) => {
    const read = textOf(count, line);
    const lines = (await read({})).split(/(?<=\n)/);
    expect(lines.length).toBe(count);
    expect(lines.every((text, index) => text === line(index))).toBe(true);
    expect((await read({ tailLines: count - 10 })).split(/(?<=\n)/).length).toBe(count - 10);
  });

  it.each([
    [
      '200 KB in the format of Docker',
      `${JSON.stringify({ log: `${'x'.repeat(200_000)}\n`, stream: 'stdout', time: '2026-01-01T10:00:00Z' })}\n`,
    ],
    ['200 KB whose fraction of the second is long', `2026-01-01T10:00:00.${'0'.repeat(200_000)}Z stdout F ${'x'.repeat(200_000)}\n`],
  ])('keeps a line of %s', async (_, line) => {
    const { append, read } = readerOf(128 * 1024);
    append(line);
    expect((await read({})) === `${'x'.repeat(200_000)}\n`).toBe(true);
  });

  it('skips a line of 2 MB without a time, and keeps those around it', async () => {
    const { append, read } = readerOf(128 * 1024);
    append(`${log[0]}${'x'.repeat(2_000_000)}\n${log[0]}`);
    expect(await read({})).toBe(one + one);
  });

  it('keeps the lines before one of an unknown stream', async () => {
    const { append, read } = readerOf(128 * 1024);
    append(`{"log":"one\\n","stream":"stdout"}\n{"log":"two\\n","stream":"stdin"}\n`);
    const output: Uint8Array[] = [];
    await expect(read({}, output)).rejects.toMatchObject({ code: 'UnsupportedLogFormat', message: 'unexpected stream type' });
    expect(Buffer.concat(output).toString()).toBe(one);
  });
});
