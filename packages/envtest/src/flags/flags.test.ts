import { errorCode, errorMessage } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { etcdHelp, readEtcdFlags } from './etcd-flags.js';
import { apiServerHelp, readApiServerFlags } from './kube-apiserver-flags.js';

/** The code and the message of what a function throws. */
function thrown(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return `${errorCode(error)}: ${errorMessage(error)}`;
  }
}

describe('the flags of kube-apiserver', () => {
  it('are read as pflag reads them', () => {
    const flags = readApiServerFlags([
      ...['--secure-port=1', '--secure-port', '2', '--allow-privileged', '--anonymous-auth=false', '-v=5', '--token_auth_file=t=x'],
      ...[
        '--authorization-mode=Node,RBAC',
        '--service-account-issuer',
        'a',
        '--service-account-issuer',
        'b',
        '--disable-admission-plugins=',
      ],
    ]);
    expect([flags.text('secure-port'), flags.text('v'), flags.text('token-auth-file')]).toEqual(['2', '5', 't=x']);
    expect([flags.isSet('allow-privileged'), flags.isSet('anonymous-auth'), flags.isSet('profiling')]).toEqual([true, false, false]);
    expect([flags.all('service-account-issuer'), flags.list('authorization-mode')]).toEqual([
      ['a', 'b'],
      ['Node', 'RBAC'],
    ]);
    expect([flags.list('disable-admission-plugins'), flags.text('etcd-servers')]).toEqual([[], undefined]);
  });

  it.each([
    [['--nothing'], 'unknown flag: --nothing'],
    [['--insecure-port=0'], 'unknown flag: --insecure-port'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['--secure-port'], 'flag needs an argument: --secure-port'],
    [
      ['--allow-privileged=maybe'],
      'invalid argument "maybe" for "--allow-privileged" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [['--allow-privileged', 'true', 'x'], '"kube-apiserver" does not take any arguments, got ["true" "x"]'],
  ])('are refused in its words: %j', (args, message) => {
    expect(thrown(() => readApiServerFlags(args))).toBe(`InvalidFlag: ${message}`);
  });

  it('show frameworks that there is no insecure port', () => {
    expect(apiServerHelp).toMatch(/^\s*--secure-port\b/m);
    expect(apiServerHelp).not.toMatch(/^\s*--insecure-port\b/m);
  });
});

describe('the flags of etcd', () => {
  it('may have one dash, as Java frameworks pass them', () => {
    const flags = readEtcdFlags(['-data-dir', 'd', '--unsafe-no-fsync=true', '--listen-client-urls', 'http://a:1,http://b:2']);
    expect([flags.text('data-dir'), flags.list('listen-client-urls')]).toEqual(['d', ['http://a:1', 'http://b:2']]);
  });

  it('are refused in its words', () => {
    expect(thrown(() => readEtcdFlags(['--nothing']))).toBe('InvalidFlag: flag provided but not defined: -nothing');
    expect(thrown(() => readEtcdFlags(['--debug=x']))).toBe('InvalidFlag: invalid boolean value "x" for -debug: parse error');
  });

  it('show frameworks that etcd need not wait for the disk', () => expect(etcdHelp).toMatch(/^\s*--unsafe-no-fsync\b/m));
});
