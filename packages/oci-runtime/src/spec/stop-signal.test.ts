import { expect, it } from 'vitest';
import { containerStopSignal, parseStopSignal, stopSignalName } from './stop-signal.js';

it.each([
  ['', 15],
  ['SIGTERM', 15],
  ['quit', 3],
  ['9', 9],
  ['SIGSYS', 31],
  ['SIGPOLL', 29],
  ['SIGRTMIN', 34],
  ['SIGRTMIN+3', 37],
  ['SIGRTMINPLUS15', 49],
  ['RTMAX-14', 50],
  ['SIGRTMAXMINUS1', 63],
])('reads the stop signal "%s" as %d', (text, number) => {
  expect(parseStopSignal(text)).toBe(number);
});

it.each(['SIGFOO', '0', '65', 'SIGRTMIN+31', 'SIGRTMIN-1', 'SIGRTMAX+1', '9x'])('refuses the stop signal %s', (text) => {
  expect(() => parseStopSignal(text)).toThrow(`stop_signal: unknown signal "${text}"`);
});

it('prefers the signal of the container to that of the image', () => {
  expect(containerStopSignal({ stopSignal: 'SIGINT' }, { stopSignal: 'SIGQUIT' })).toBe(2);
  expect(containerStopSignal({ stopSignal: 'RUNTIME_DEFAULT' }, { stopSignal: 'SIGQUIT' })).toBe(3);
  expect(containerStopSignal({}, { stopSignal: '' })).toBe(15);
});

it.each(['SIGHUP', 'SIGTERM', 'SIGSYS', 'SIGRTMIN', 'SIGRTMINPLUS15', 'SIGRTMAXMINUS14', 'SIGRTMAX'])('names %s by its number', (name) => {
  expect(stopSignalName(parseStopSignal(name))).toBe(name);
});
