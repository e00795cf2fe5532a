import { describe, expect, it } from 'vitest';
import { runFlags } from '../run-flags.js';
import { readRunOptions } from '../run-options.js';
import { completeArguments } from './once-arguments.js';

const console = { env: { XDG_STATE_HOME: '/state' }, isRoot: false };
const complete = (...args: string[]) => completeArguments(runFlags(console.env, console.isRoot), args, console);
const options = (...args: string[]) => readRunOptions(complete(...args), console.env, console.isRoot);

it('takes a word as the manifest', () => {
  expect(complete('pod.yaml', '--node-name', 'n1')).toEqual(['--node-name', 'n1', '--manifests', 'pod.yaml']);
  expect(complete('-f', 'pods')).toEqual(['-f', 'pods']);
});

describe('--once', () => {
  it('has separate folders, and nothing of a node', () => {
    expect(options('pod.yaml', '--once')).toMatchObject({
      once: true,
      stopPodsOnExit: true,
      rootDir: '/state/nodeagent/once',
      podLogsDir: '/state/nodeagent/once/logs',
      logLevel: 'warn',
      configuration: { staticPods: { path: 'pod.yaml' }, agent: { settings: { cgroupsPerQOS: false, devicePlugins: false } } },
    });
  });

  it('leaves given flags', () => {
    const given = options('--once', '-f', 'pod.yaml', '--root-dir', '/r', '--log-level', 'debug', '--runtime-endpoint', 'process');
    expect(given).toMatchObject({ rootDir: '/r', podLogsDir: '/r/logs', logLevel: 'debug' });
  });

  it.each([
    [['--once'], '--once: a manifest is required'],
    [['a.yaml', '-f', 'b.yaml'], 'unexpected argument "a.yaml" beside --manifests'],
    [['a.yaml', 'b.yaml'], 'unexpected argument "b.yaml"'],
    [['a.yaml', '--once', '--kubeconfig', 'k'], '--kubeconfig: does not apply to --once'],
    [['a.yaml', '--once', '--port', '10250'], '--port: does not apply to --once'],
    [['a.yaml', '--once', '--no-such-flag'], 'unknown flag'],
  ])('rejects %j', (args, message) => {
    expect(() => complete(...args)).toThrow(message);
  });
});
