/**
 * A program that is part of a stream: the kernel kills it when this process ends, also by SIGKILL. setpriv(1) requests that, then becomes the
 * program.
 */
export const helperCommand = (...command: string[]): [program: string, args: string[]] => [
  'setpriv',
  ['--pdeathsig', 'KILL', '--', ...command],
];
