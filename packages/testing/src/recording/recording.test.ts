import { describe, expect, it } from 'vitest';
import { createRecordingLogger } from './recording-logger.js';
import { createRecordingRecorder } from './recording-recorder.js';

describe('recording recorder', () => {
  it('records events, and drops the oldest beyond the limit', () => {
    const recorder = createRecordingRecorder(2);
    for (const reason of ['A', 'B', 'C']) recorder.event({ kind: 'Pod', name: 'web' }, 'Warning', reason, 'it happened');
    expect(recorder.lines).toEqual(['Warning B it happened', 'Warning C it happened']);
    expect(recorder.events[0]?.object.name).toBe('web');
    recorder.clear();
    expect(recorder.lines).toEqual([]);
  });
});

describe('recording logger', () => {
  it('records lines with the fields of the parent loggers', () => {
    const logger = createRecordingLogger(3);
    logger.debug('dropped');
    const child = logger.child({ pod: 'web' });
    child.warn({ attempt: 2 }, 'slow');
    child.child({ containerName: 'main' }).error('failed');
    logger.info('fine');
    expect(logger.lines).toEqual([
      { level: 'warn', message: 'slow', fields: { pod: 'web', attempt: 2 } },
      { level: 'error', message: 'failed', fields: { pod: 'web', containerName: 'main' } },
      { level: 'info', message: 'fine', fields: {} },
    ]);
    expect(child.lines).toBe(logger.lines);
    expect(logger.messages('error')).toEqual(['failed']);
    logger.clear();
    logger.warn({ err: new Error('no such device') }, 'cannot mount');
    logger.info('fine');
    expect(logger.texts()).toEqual(['cannot mount: no such device', 'fine']);
    expect(logger.texts('info')).toEqual(['fine']);
    logger.clear();
    expect(logger.messages()).toEqual([]);
  });
});
