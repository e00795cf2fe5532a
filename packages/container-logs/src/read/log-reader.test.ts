import { getEventListeners } from 'node:events';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createLogReader, type LogReadOptions } from './log-reader.js';
import { createMemorySource } from './memory-source.js';

const path = '/logs/0.log';
const line = (number: number, stream = 'stdout') => `2026-01-01T10:00:0${number % 10}.5Z ${stream} F line ${number}\n`;
const text = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('');

function setUp(injectFault?: Parameters<typeof createMemorySource>[0]) {
  const clock = createVirtualClock({ start: Date.UTC(2026, 0, 1) });
  const source = createMemorySource(injectFault);
  const logger = createRecordingLogger();
  const reader = createLogReader({ clock, source, logger });
  const append = source.create(path);
  let ended = false;
  let end = () => {};
  const whenEnded = new Promise<void>((resolve) => {
    end = () => {
      ended = true;
      resolve();
    };
  });
  /** Collects in the background until it ends. */
  const start = (options: LogReadOptions = {}) => {
    const output = { text: '', error: undefined as unknown, isOver: false };
    const done = (async () => {
      try {
        for await (const { data } of reader.read(path, options)) output.text += Buffer.from(data).toString();
      } catch (error) {
        output.error = error;
      }
      output.isOver = true;
    })();
    return { output, done };
  };
  const follow = (options: LogReadOptions = {}) => start({ follow: true, ended: () => whenEnded, ...options });
  return { clock, source, logger, reader, append, start, follow, end: () => end(), hasEnded: () => ended };
}

describe('reading a log', () => {
  it('returns the selected streams of the log and closes the file', async () => {
    const { reader, source, append } = setUp();
    append(line(0) + line(1, 'stderr') + line(2));
    const chunks: string[] = [];
    for await (const { stream, data } of reader.read(path)) chunks.push(`${stream} ${Buffer.from(data)}`);
    expect(chunks).toEqual(['stdout line 0\n', 'stderr line 1\n', 'stdout line 2\n']);
    expect(source.openFiles).toBe(0);
  });

  it('closes the file when the consumer stops reading', async () => {
    const { reader, source, append } = setUp();
    append(line(0) + line(1, 'stderr'));
    for await (const { data } of reader.read(path)) {
      expect(Buffer.from(data).toString()).toBe('line 0\n');
      break;
    }
    expect(source.openFiles).toBe(0);
  });

  it('returns lines longer than its buffer in pieces', async () => {
    const { append, start } = setUp();
    const long = 'x'.repeat(300_000);
    append(`${line(0)}2026-01-01T10:00:00Z stdout P ${long}\n2026-01-01T10:00:00Z stdout F ${long}\n${line(1)}`);
    const { output, done } = start({ timestamps: true });
    await done;
    const time = (second: string) => `2026-01-01T10:00:0${second} `;
    const expected = `${time('0.500000000Z')}line 0\n${time('0.000000000Z')}${long}${long}\n${time('1.500000000Z')}line 1\n`;
    expect(output.text === expected).toBe(true);
  });

  it('skips malformed lines, and logs them once without their content', async () => {
    const { append, start, logger } = setUp();
    append(`${line(0)}a secret\n\nanother secret\n${line(1)}`);
    const { output, done } = start();
    await done;
    expect(output.text).toBe(text(2));
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'failed when parsing a line of log file "/logs/0.log": unexpected timestamp format "2006-01-02T15:04:05.999999999Z07:00"',
    ]);
  });

  it('quotes no content of a file in errors and logs', async () => {
    const shown = await Promise.all(
      ['root:secret\n', '{"log":"x","stream":"secret"}\n', `${line(0)}2026-01-01T10:00:00Z secret F x\n`].map(async (content) => {
        const { append, start, logger } = setUp();
        append(content);
        const { output, done } = start();
        await done;
        return [(output.error as Error | undefined)?.message, ...logger.lines.map(({ message }) => message)];
      }),
    );
    expect(shown).toEqual([
      ['failed to get parse function: unsupported log format'],
      ['unexpected stream type'],
      [undefined, `failed when parsing a line of log file "${path}": unexpected stream type`],
    ]);
  });

  it.each([
    [
      'a log that is not there',
      () => {},
      '/logs/1.log',
      'LogUnavailable',
      'failed to open log file "/logs/1.log": no such file or directory',
    ],
    [
      'a path that leads nowhere',
      (operation: string) => {
        if (operation === 'resolve') throw new Error('ENOENT');
      },
      path,
      'LogUnavailable',
      'failed to try resolving symlinks in path "/logs/0.log": ENOENT',
    ],
    [
      'a log that must not be read',
      (operation: string) => {
        if (operation === 'open') throw new Error('EACCES');
      },
      path,
      'LogUnavailable',
      'failed to open log file "/logs/0.log": EACCES',
    ],
  ])('rejects %s', async (_, injectFault, from, code, message) => {
    const { reader } = setUp(injectFault);
    await expect(reader.read(from).next()).rejects.toMatchObject({ code, message });
  });

  it('closes the file when a read fails', async () => {
    const { reader, source } = setUp((operation) => {
      if (operation === 'read') throw new Error('EIO');
    });
    await expect(reader.read(path).next()).rejects.toThrow('EIO');
    expect(source.openFiles).toBe(0);
  });

  it.each([
    ['path', 'logs/0.log', {}],
    ['tailLines', path, { tailLines: -1 }],
    ['limitBytes', path, { limitBytes: 0.5 }],
    ['since', path, { since: 'yesterday' }],
    ['streams', path, { streams: 'stdout' as 'Stdout' }],
    ['ended', path, { ended: async () => {} }],
  ])('rejects an invalid option %s by its name', (field, from, options) => {
    const { reader } = setUp();
    expect(() => reader.read(from, options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});

describe('following a log', () => {
  it('returns new lines immediately, and ends when the container has terminated', async () => {
    const { clock, append, follow, end, source } = setUp();
    append(line(0));
    const { output, done } = follow();
    await clock.advance(10_000);
    expect(output.text).toBe(text(1));
    append(line(1));
    await clock.advance(0);
    expect(output.text).toBe(text(2));
    append(line(2));
    end();
    await clock.advance(100);
    await done;
    expect(output).toEqual({ text: text(3), error: undefined, isOver: true });
    expect([source.openFiles, source.openWatches]).toEqual([0, 0]);
  });

  it('waits for the rest of a line, and returns an incomplete last line when the container has terminated', async () => {
    const { clock, append, follow, end } = setUp();
    append(line(0).slice(0, -3));
    const { output, done } = follow();
    await clock.advance(1_000);
    expect(output.text).toBe('');
    append(line(0).slice(-3) + line(1).slice(0, -1));
    await clock.advance(1_000);
    expect(output.text).toBe('line 0\n');
    end();
    await clock.advance(1_000);
    await done;
    expect(output.text).toBe('line 0\nline 1');
  });

  it('reads an unchanged log not at all and a busy one ten times a second', async () => {
    const { clock, append, follow, source } = setUp();
    const controller = new AbortController();
    const { done } = follow({ signal: controller.signal });
    await clock.advance(1_000);
    const before = source.reads;
    await clock.advance(3_600_000);
    expect(source.reads).toBe(before);
    for (let count = 0; count < 1_000; count++) {
      append(line(count));
      await clock.advance(1);
    }
    expect(source.reads - before).toBeLessThanOrEqual(22);
    controller.abort(new Error('enough'));
    await done;
  });

  it('continues in the new file after a rotation, without losing or repeating a line', async () => {
    const { clock, append, follow, end, source } = setUp();
    append(line(0));
    const { output, done } = follow();
    await clock.advance(1_000);
    append(line(1));
    source.rename(path, `${path}.1`);
    append(line(2));
    await clock.advance(1_000);
    const appendNew = source.create(path);
    append(line(3));
    await clock.advance(1_000);
    append(line(4));
    appendNew(line(5));
    await clock.advance(1_000);
    expect(output.text).toBe(text(6));
    source.rename(path, `${path}.2`);
    source.create(path)(line(6));
    end();
    await clock.advance(1_000);
    await done;
    expect(output).toMatchObject({ text: text(7), error: undefined });
    expect([source.openFiles, source.openWatches]).toEqual([0, 0]);
  });

  /** A consumer that waits after the first line while the log is rotated; then the rest of the text. */
  const readSlowly = async (rotations: number) => {
    const { reader, source, append, clock } = setUp();
    append(line(0));
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const chunks = reader.read(path, { follow: true, ended: () => ended });
    await chunks.next();
    for (let number = 1; number <= rotations; number++) {
      source.rename(path, `${path}.${number}`);
      source.create(path)(line(number));
      await clock.advance(1_000);
    }
    end();
    const rest = async () => {
      let output = '';
      for await (const { data } of chunks) output += Buffer.from(data).toString();
      return output;
    };
    return { rest, source };
  };

  it('gives a slow reader the lines of each file of several rotations', async () => {
    const { rest, source } = await readSlowly(8);
    expect(await rest()).toBe(text(8, 1));
    expect(source.openFiles).toBe(0);
  });

  it('fails for a reader that is too many rotations behind, and closes the files', async () => {
    const { rest, source } = await readSlowly(9);
    await expect(rest()).rejects.toMatchObject({ code: 'LogUnavailable', message: expect.stringContaining('more than 8 times') });
    expect(source.openFiles).toBe(0);
  });

  it('starts with the last lines and continues to follow', async () => {
    const { clock, append, follow, end } = setUp();
    append(text(0) + line(0) + line(1) + line(2));
    const { output, done } = follow({ tailLines: 1 });
    await clock.advance(1_000);
    append(line(3));
    end();
    await clock.advance(1_000);
    await done;
    expect(output.text).toBe(text(2, 2));
  });

  it('polls every second if the folder cannot be watched', async () => {
    let canWatch = false;
    const { clock, append, follow, end, source, logger } = setUp((operation) => {
      if (operation === 'watch' && !canWatch) throw new Error('ENOSPC');
    });
    const { output, done } = follow();
    await clock.advance(500);
    append(line(0));
    source.rename(path, `${path}.1`);
    source.create(path)(line(1));
    await clock.advance(3_000);
    expect(output.text).toBe(text(2));
    expect(logger.texts()).toEqual(['log file "/logs/0.log" cannot be watched, polling every second: ENOSPC']);
    canWatch = true;
    end();
    await clock.advance(1_000);
    await done;
  });

  it('continues by polling when a watch fails', async () => {
    const { clock, append, follow, end, source } = setUp();
    const { output, done } = follow();
    await clock.advance(500);
    source.breakWatches(new Error('EINVAL'));
    append(line(0));
    await clock.advance(2_000);
    expect(output.text).toBe(text(1));
    end();
    await clock.advance(1_000);
    await done;
    expect(source.openWatches).toBe(0);
  });

  it('shares one watch among the followers of a folder', async () => {
    const { clock, append, follow, end, source } = setUp();
    const followers = Array.from({ length: 5 }, () => follow());
    await clock.advance(1_000);
    expect(source.openWatches).toBe(1);
    append(line(0));
    end();
    await clock.advance(1_000);
    for (const { output, done } of followers) {
      await done;
      expect(output.text).toBe(text(1));
    }
    expect([source.openFiles, source.openWatches]).toEqual([0, 0]);
  });

  it('removes its listener from a signal that outlives it', async () => {
    const { append, follow, clock, end } = setUp();
    const { signal } = new AbortController();
    append(line(0));
    const { done, output } = follow({ signal });
    await clock.advance(2_000);
    expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
    end();
    await clock.run(done);
    expect(output.text).toBe(text(1));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends when its signal aborts, and when waiting for the container fails', async () => {
    const { clock, follow, source } = setUp();
    const controller = new AbortController();
    const aborted = follow({ signal: controller.signal });
    const failed = follow({ ended: () => Promise.reject(new Error('no such container')) });
    await clock.advance(1_000);
    controller.abort(new Error('the client went away'));
    await Promise.all([aborted.done, failed.done]);
    expect(aborted.output.error).toBe(controller.signal.reason);
    expect(failed.output.error).toMatchObject({ message: 'no such container' });
    expect([source.openFiles, source.openWatches]).toEqual([0, 0]);
  });
});
