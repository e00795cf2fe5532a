import { NodeAgentError } from '@nodeagent/api';
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
    logger.child({ node: 'n1' }).info({ image: 'a b', n: 3, unset: undefined }, 'hello');
    expect(lines).toEqual(['2026-01-01T00:00:00.000Z INFO  hello node=n1 image="a b" n=3']);
  });
  it('begins with the pod and its container', () => {
    const { lines, logger } = logged('info', 'text');
    logger.info({ pod: 'default/web', podUID: 'u1' }, 'is removed');
    logger.info({ pod: 'default/web', containerName: 'main' }, 'has started');
    logger.info({ containerName: 'main' }, 'has started');
    expect(lines.map((line) => line.slice(31))).toEqual([
      'default/web is removed podUID=u1',
      'default/web/main has started',
      'has started containerName=main',
    ]);
  });
  it('begins with the object that a reference names', () => {
    const { lines, logger } = logged('info', 'text');
    logger.info({ object: { kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1' }, reason: 'Started' }, 'Event occurred');
    logger.info({ object: { kind: 'Node', name: 'n1' } }, 'Event occurred');
    logger.info({ object: 'default/web' }, 'Event occurred');
    logger.info({ object: { size: 1 } }, 'Event occurred');
    expect(lines.map((line) => line.slice(31))).toEqual([
      'Pod default/web Event occurred reason=Started',
      'Node n1 Event occurred',
      'default/web Event occurred',
      '{"size":1} Event occurred',
    ]);
  });
  it('writes JSON lines', () => {
    const { lines, logger } = logged('info', 'json');
    const err = new NodeAgentError('OutOfSpace', 'broken', { hint: 'mend it', details: { token: 'secret' }, cause: new Error('secret') });
    logger.error({ err, size: 5n }, 'failed');
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      level: 'error',
      msg: 'failed',
      err: 'broken',
      code: 'OutOfSpace',
      hint: 'mend it',
      size: '5',
    });
  });
  it('writes the error text after the message, once, and its hint at the end', () => {
    const { lines, logger } = logged('info', 'text');
    const cause = Object.assign(new Error('connect ENOENT /run/x.sock'), { code: 'ENOENT' });
    const err = new NodeAgentError('CRI_UNAVAILABLE', 'no runtime', { hint: 'start it', details: { token: 'secret' }, cause });
    logger.warn({ err, attempt: 2 }, 'cannot list pods');
    logger.warn({ err: new Error('no such device') }, 'cannot mount: no such device');
    expect(lines.map((line) => line.slice(31))).toEqual([
      'cannot list pods: no runtime: connect ENOENT /run/x.sock attempt=2 (start it)',
      'cannot mount: no such device',
    ]);
  });
  it('writes the stack of an error only in JSON at level debug', () => {
    const err = new NodeAgentError('X', 'broken', { details: { token: 'secret' } });
    const written = (['debug', 'info'] as const).flatMap((level) => {
      const { lines, logger } = logged(level, 'json');
      logger.error({ err }, 'failed');
      return lines;
    });
    expect(written.map((line) => 'stack' in JSON.parse(line))).toEqual([true, false]);
    expect(written.join()).not.toContain('secret');
  });
  it('omits lines below the level', () => {
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
