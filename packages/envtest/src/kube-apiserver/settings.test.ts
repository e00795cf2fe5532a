import { errorMessage } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { readApiServerFlags } from '../flags/kube-apiserver-flags.js';
import { apiServerSettings, enabledPlugins } from './settings.js';
import { readTokenFile } from './token-file.js';

const required = ['--etcd-servers=http://127.0.0.1:1', '--service-account-issuer=https://i', '--service-account-signing-key-file=s'];
const settingsOf = (...args: string[]) => apiServerSettings(readApiServerFlags([...required, ...args]));
const problemOf = (...args: string[]) => {
  try {
    return apiServerSettings(readApiServerFlags(args));
  } catch (error) {
    return errorMessage(error);
  }
};

describe('the settings of kube-apiserver', () => {
  it('have its defaults', () => {
    expect(settingsOf()).toEqual({
      ...{ host: '0.0.0.0', port: 6443, certDir: '/var/run/kubernetes', anonymous: false, rbac: false },
      serviceAccounts: { issuer: 'https://i', audiences: ['https://i'], keyFiles: [], signingKeyFile: 's' },
      ...{ serviceClusterIPRange: '10.0.0.0/24', enableAdmissionPlugins: [], disableAdmissionPlugins: [] },
      ...{ etcdUrl: 'http://127.0.0.1:1', etcdPrefix: '/registry' },
    });
  });

  it.each([
    [['--authorization-mode=RBAC'], [true, true]],
    [
      ['--authorization-mode=Node,RBAC', '--anonymous-auth=false'],
      [true, false],
    ],
    [['--authorization-mode=AlwaysAllow'], [false, false]],
    [
      ['--authorization-mode=AlwaysAllow,RBAC', '--anonymous-auth'],
      [false, false],
    ],
  ])('%j: roles and anonymous users are %j', (args, expected) => {
    const { rbac, anonymous } = settingsOf(...args);
    expect([rbac, anonymous]).toEqual(expected);
  });

  it('leave out admission plugins that the test server does not have', () => {
    const settings = settingsOf(
      '--enable-admission-plugins=AlwaysPullImages,NodeRestriction',
      '--disable-admission-plugins=ServiceAccount',
    );
    expect([settings.enableAdmissionPlugins, settings.disableAdmissionPlugins]).toEqual([['NodeRestriction'], ['ServiceAccount']]);
  });

  it('enable the plugins that kube-apiserver runs by default, unless they are disabled', () => {
    const defaults = ['StorageObjectInUseProtection', 'TaintNodesByCondition'];
    expect(enabledPlugins(settingsOf('--enable-admission-plugins=NodeRestriction'), {})).toEqual([...defaults, 'NodeRestriction']);
    expect(enabledPlugins(settingsOf('--disable-admission-plugins=StorageObjectInUseProtection'), { nodes: 2 })).toEqual(defaults.slice(1));
    expect(enabledPlugins(settingsOf(), { controllers: true })).toEqual(defaults.slice(0, 1));
  });

  it.each([
    [
      ['--etcd-servers=e', '--service-account-issuer=i'],
      '--service-account-signing-key-file and --service-account-issuer are required flags',
    ],
    [[], /^\[--etcd-servers must be specified, service-account-issuer is a required flag, /],
    [[...required, '--secure-port=x'], 'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    [[...required, '--secure-port=0'], '--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0'],
    [[...required, '--tls-cert-file=c'], 'tls-private-key-file is required with tls-cert-file'],
  ])('report what is missing or invalid: %j', (args, message) => {
    expect(problemOf(...args)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });
});

describe('a file of tokens', () => {
  it('has users with groups', () => {
    const text = 'secret,jane,1,"dev,ops"\n\nother, joe ,2\n"a ""b""",x,3,one\r\n';
    expect(readTokenFile({ path: 't', text })).toEqual({
      secret: { username: 'jane', uid: '1', groups: ['dev', 'ops'] },
      other: { username: 'joe', uid: '2', groups: [] },
      'a "b"': { username: 'x', uid: '3', groups: ['one'] },
    });
  });

  it('names the line that has too few columns', () => {
    expect(() => readTokenFile({ path: 't.csv', text: 'a,b,c\nd,e\n' })).toThrow(/'t.csv' .* line 2/);
  });
});
