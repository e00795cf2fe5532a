import { expect, it } from 'vitest';
import { socketPathProblem } from './socket-path.js';

it('the path of a socket has at most 107 bytes', () => {
  expect(socketPathProblem(`/${'x'.repeat(106)}`)).toBeUndefined();
  expect(socketPathProblem(`/${'x'.repeat(107)}`)).toBe("the path has 108 bytes; a unix socket's has at most 107");
  expect(socketPathProblem(`/${'\u00e4'.repeat(54)}`)).toContain('109 bytes');
});
