import { expect, it } from 'vitest';
import { readHandlers } from './handler-flag.js';

it('reads runtime handlers', () => {
  expect(readHandlers({})).toEqual({});
  expect(readHandlers({ handler: 'runc=/usr/sbin/runc,kata-fc=/opt/a=b' })).toEqual({
    runc: { path: '/usr/sbin/runc' },
    'kata-fc': { path: '/opt/a=b' },
  });
});

it.each([
  ['runc', '--handler: "runc" is not NAME=PATH'],
  ['=x', '--handler: "=x" is not NAME=PATH'],
  ['a=', '--handler: "a=" is not NAME=PATH'],
  ['A=x', '--handler: "A=x" is not NAME=PATH'],
])('refuses the handler %s', (pair, message) => {
  expect(() => readHandlers({ handler: pair })).toThrow(
    expect.objectContaining({ code: 'BAD_USAGE', message: expect.stringContaining(message) }),
  );
});

it('refuses a handler that is there twice', () => {
  expect(() => readHandlers({ handler: 'a=x,a=y' })).toThrow('--handler: "a" is there twice');
});
