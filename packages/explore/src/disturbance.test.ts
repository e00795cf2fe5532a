import { describe, expect, it } from 'vitest';
import { parseSchedule, scheduleText } from './disturbance.js';

describe('texts of schedules', () => {
  it.each(['undisturbed', 'crash@12', 'crash@12+lag@14:jobs.batch'])('reads back %s', (text) =>
    expect(scheduleText(parseSchedule(text))).toBe(text),
  );

  it.each(['', 'crash', 'crash@0', 'flood@3', 'crash@1+', 'toString@1'])('rejects %j', (text) =>
    expect(() => parseSchedule(text)).toThrow('schedule'),
  );
});
