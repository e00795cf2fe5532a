import { describe, expect, it } from 'vitest';
import { createLineLogger, type LogFormat, type LogLevel } from './log.js';

function logged(level: LogLevel, format: LogFormat, colours = false) {
  const lines: string[] = [];
  const logger = createLineLogger({
    level,
    format,
    colours,
    clock: { now: () => Date.UTC(2026, 0, 1) },
    write: (line) => lines.push(line),
  });
  return { lines, logger };
}

describe('createLineLogger', () => {
  it('writes text lines with fields behind the message', () => {
    const { lines, logger } = logged('info', 'text');
    logger.child({ node: 'n1' }).info({ pod: 'a b', n: 3, gone: undefined }, 'hello');
    expect(lines).toEqual(['2026-01-01T00:00:00.000Z INFO  hello node=n1 pod="a b" n=3']);
  });
  it('writes JSON lines', () => {
    const { lines, logger } = logged('info', 'json');
    logger.error({ error: new Error('broken'), size: 5n }, 'failed');
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      level: 'error',
      msg: 'failed',
      error: 'broken',
      size: '5',
    });
  });
  it('leaves out what is less important than the level', () => {
    const { lines, logger } = logged('warn', 'text');
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    expect(lines).toHaveLength(1);
  });
  it('colours the level only when asked', () => {
    const { lines, logger } = logged('info', 'text', true);
    logger.warn('c');
    expect(lines[0]).toContain('\x1b[');
  });
});
