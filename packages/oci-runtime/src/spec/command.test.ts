import { describe, expect, it } from 'vitest';
import { containerArgs, containerCwd, containerEnv } from './command.js';
import { parseImageProcess } from './image-process.js';

const image = parseImageProcess(
  JSON.stringify({ config: { Entrypoint: ['/run'], Cmd: ['-a'], Env: ['A=image', 'PATH=/bin', 'ALONE'], WorkingDir: '/srv' } }),
);
const bare = parseImageProcess('{}');
const env = (key: string, value: string | Uint8Array) => ({
  key,
  value: typeof value === 'string' ? new TextEncoder().encode(value) : value,
});

describe('containerArgs', () => {
  it.each([
    [{}, ['/run', '-a']],
    [{ args: ['-b'] }, ['/run', '-b']],
    [{ command: ['sh'] }, ['sh']],
    [{ command: ['sh'], args: ['-c'] }, ['sh', '-c']],
  ])('replaces entrypoint and command by %j', (config, expected) => {
    expect(containerArgs(config, image)).toEqual(expected);
  });

  it('refuses a container without a program, and a NUL byte', () => {
    expect(() => containerArgs({}, bare)).toThrow('config.command: no command specified');
    expect(() => containerArgs({ command: ['a\0b'] }, bare)).toThrow('config.command: must have no NUL byte');
    expect(containerArgs({ args: ['true'] }, bare)).toEqual(['true']);
  });
});

describe('containerEnv', () => {
  it('has defaults, then the image, then the container; a later value takes the place of the earlier one', () => {
    expect(containerEnv({ envs: [env('B', 'x=y'), env('A', 'mine')], tty: true }, image, 'web')).toEqual([
      'PATH=/bin',
      'TERM=xterm',
      'HOSTNAME=web',
      'A=mine',
      'ALONE=',
      'B=x=y',
    ]);
    expect(containerEnv({}, bare, '')[0]).toMatch(/^PATH=\/usr\/local\/sbin/);
  });

  it('keeps a byte order mark, and refuses what a variable cannot be', () => {
    expect(containerEnv({ envs: [env('A', '\ufeffx')] }, bare, '').at(-1)).toBe('A=\ufeffx');
    expect(() => containerEnv({ envs: [env('A=B', '')] }, bare, '')).toThrow('config.envs: "A=B" is not a name of a variable');
    expect(() => containerEnv({ envs: [env('', '')] }, bare, '')).toThrow('is not a name');
    expect(() => containerEnv({ envs: [env('A', new Uint8Array([0xff]))] }, bare, '')).toThrow('the value of A is not UTF-8');
    expect(() => containerEnv({ envs: [env('A', 'a\0')] }, bare, '')).toThrow('the value of A has a NUL byte');
  });
});

describe('containerCwd', () => {
  it('prefers the container, then the image, then the root', () => {
    expect([containerCwd({ workingDir: '/a' }, image), containerCwd({}, image), containerCwd({}, bare)]).toEqual(['/a', '/srv', '/']);
    expect(() => containerCwd({ workingDir: 'a' }, image)).toThrow('config.working_dir: "a" is not an absolute path');
  });
});

describe('parseImageProcess', () => {
  it('reads what an image runs', () => {
    const config = { User: 'web:web', StopSignal: 'SIGQUIT', Volumes: { '/data': {} }, Cmd: null };
    expect(parseImageProcess(JSON.stringify({ config }))).toEqual({
      ...bare,
      user: 'web:web',
      stopSignal: 'SIGQUIT',
      volumes: ['/data'],
    });
  });

  it.each([
    ['not JSON', 'image: its configuration is not JSON'],
    ['{"config": []}', 'image: config must be an object'],
    ['{"config": {"Cmd": "sh"}}', 'image: config.Cmd must be a list of texts'],
    ['{"config": {"Env": ["A=\\u0000"]}}', 'image: config.Env must be a list of texts without NUL bytes'],
    ['{"config": {"User": 5}}', 'image: config.User must be a text'],
    ['{"config": {"Volumes": 5}}', 'image: config.Volumes must be an object'],
  ])('refuses %s', (text, message) => {
    expect(() => parseImageProcess(text)).toThrow(message);
  });
});
