import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { credentialHash } from './credentials.js';
import { parseDockerConfigJson, parseDockercfg } from './docker-config.js';
import { createDockerConfigKeyring } from './docker-config-file.js';
import { imageSizeBucket } from './image-size-bucket.js';
import { createKeyring } from './keyring.js';
import { createTokenBucket } from './limits.js';
import { trimImageName } from './pull-record.js';
import { getPullSecrets } from './pull-secrets.js';
import { registryUrlMatches } from './registry-url.js';
import { createVerificationPolicy } from './verification-policy.js';

describe('keyring', () => {
  it('returns all matching logins: longer paths of a host first, docker.io last', () => {
    const keyring = createKeyring();
    for (const address of ['quay.example', 'https://quay.example/team', '*.example', 'https://index.docker.io/v1/', 'bad[']) {
      keyring.add(address, { username: address, password: 'p' });
    }
    const users = (repository: string) => keyring.find(repository)?.map(({ auth }) => auth.username);
    expect(users('quay.example/team/app')).toEqual(['https://quay.example/team', 'quay.example', '*.example']);
    expect(users('quay.example/teams')).toContain('https://quay.example/team');
    expect(users('docker.io/library/nginx')).toEqual(['https://index.docker.io/v1/']);
    expect(users('other.io/x')).toBeUndefined();
  });

  it.each([
    ['*.io', 'a.b.io/x', false],
    ['*.*.io', 'a.b.io/x', true],
    ['reg:443', 'reg/x', false],
    ['reg/foo', 'reg/foobar', true],
    ['reg', 'reg.io', false],
    ['quay.example/', 'quay.example/team', true],
    ['quay.example/', 'quay.example', false],
    ['https://quay.example', 'quay.example/team', false],
    ['http://quay.example/', 'quay.example/team', false],
    ['https://quay.example/', 'quay.example', false],
    ['a*b*c', 'a-bb-c/x', true],
    ['a*b*c', 'a-c-b/x', false],
    ['a*a', 'a/x', false],
    ['a*bc*c', 'abc/x', false],
    ['*', 'reg/x', true],
    // A regular expression takes hours for it.
    [`${'*a'.repeat(30)}*b`, `${'a'.repeat(200)}/x`, false],
  ])('%s matches %s: %s', (key, repository, fits) => expect(registryUrlMatches(key, repository)).toBe(fits));

  it.each(['ba[d', 'a b', 'reg:port', 'reg:80:90', 'a\nb', 'reg/%zz'])('rejects %j', (address) => {
    expect(() => registryUrlMatches(address, 'reg/x')).toThrow(expect.objectContaining({ code: 'InvalidPullCredentials' }));
  });

  it('hashes without empty fields and with the escapes of the kubelet', () => {
    expect(credentialHash({ username: 'u', password: 'p', email: '' })).toBe(credentialHash({ username: 'u', password: 'p' }));
    expect(credentialHash({ password: '<&>' })).toMatch(/^[0-9a-f]{64}$/);
    expect(credentialHash({ password: '<' })).not.toBe(credentialHash({ password: '>' }));
  });
});

describe('the docker configuration', () => {
  const auth = Buffer.from('user:pass:word').toString('base64');

  it('has logins in both formats', () => {
    expect(parseDockerConfigJson(JSON.stringify({ auths: { r: { auth } } })).get('r')).toEqual({ username: 'user', password: 'pass:word' });
    expect(parseDockercfg(JSON.stringify({ r: { username: 'u', password: 'p', email: 'e' } })).get('r')).toEqual({
      username: 'u',
      password: 'p',
      email: 'e',
    });
    expect(parseDockerConfigJson('{}').size).toBe(0);
    const withToken = JSON.stringify({ auths: { r: { auth, identitytoken: 't' } } });
    expect(parseDockerConfigJson(withToken).get('r')).not.toHaveProperty('identityToken');
    expect(parseDockerConfigJson(withToken, { identityTokens: true }).get('r')).toMatchObject({ username: 'user', identityToken: 't' });
  });

  it.each(['[]', 'x', '{"auths": 1}', '{"auths": {"r": 1}}', '{"auths": {"r": {"auth": "%"}}}', '{"auths": {"r": {"username": 1}}}'])(
    'rejects %s',
    (text) => {
      expect(() => parseDockerConfigJson(text)).toThrow(expect.objectContaining({ code: 'InvalidPullCredentials' }));
    },
  );

  it('is searched for in the folders of the kubelet', async () => {
    const paths: string[] = [];
    const readText = async (path: string) => {
      paths.push(path);
      throw new Error('ENOENT');
    };
    expect(await createDockerConfigKeyring({ clock: createVirtualClock(), preferredDir: '/root', readText }).lookup('r/x', {})).toEqual([]);
    expect(paths).toEqual([
      ...['/root', '.', `${homedir()}/.docker`, '/.docker'].map((dir) => join(dir, 'config.json')),
      ...['/root', '.', homedir(), '/'].map((dir) => join(dir, '.dockercfg')),
    ]);
  });

  it('is read again after five minutes, from the first readable file', async () => {
    const clock = createVirtualClock();
    const files: Record<string, string> = { 'a/config.json': 'broken', 'b/config.json': JSON.stringify({ auths: { r: { auth } } }) };
    const warnings: string[] = [];
    const logger: Logger = {
      debug() {},
      info() {},
      error() {},
      warn: (_fields: object | string, message?: string) => void warnings.push(message ?? ''),
      child: () => logger,
    };
    let reads = 0;
    const keyring = createDockerConfigKeyring({
      clock,
      logger,
      dirs: ['a', 'b'],
      readText: async (path) => {
        reads++;
        const text = files[path];
        if (text === undefined) throw new Error('ENOENT');
        return text;
      },
    });
    expect((await keyring.lookup('r/x', {})).map((login) => login.auth.username)).toEqual(['user']);
    expect(warnings).toHaveLength(1);
    delete files['b/config.json'];
    expect(await keyring.lookup('r/x', {})).toHaveLength(1);
    expect(reads).toBe(2);
    await clock.advance(300_000);
    expect(await keyring.lookup('r/x', {})).toEqual([]);
  });
});

describe('pull secrets', () => {
  it('omit missing secrets, with one event', async () => {
    const events: string[] = [];
    const pod = {
      metadata: { namespace: 'prod' },
      spec: { containers: [], imagePullSecrets: ['a', 'b', 'c', ''].map((name) => ({ name })) },
    };
    const secrets = await getPullSecrets(pod, {
      getSecret: async (_namespace, name) => {
        if (name === 'b') throw new Error('forbidden');
        return name === 'c' ? undefined : { metadata: { name } };
      },
      recorder: { event: (_object, type, reason, message) => events.push(`${type} ${reason} ${message}`) },
    });
    expect(secrets).toEqual([{ metadata: { name: 'a' } }]);
    expect(events).toEqual([
      'Warning FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (b, c); attempting to pull the image may not succeed.',
    ]);
  });
});

describe('policies and formats', () => {
  it('reject unknown policies and invalid patterns', () => {
    for (const pattern of ['', '*', '/*', 'a/*/b', 'a:1', 'a b']) {
      expect(() => createVerificationPolicy('NeverVerifyAllowlistedImages', [pattern])).toThrow(
        expect.objectContaining({ code: 'InvalidOption', details: { field: 'settings.preloadedImagesVerificationAllowlist' } }),
      );
    }
    expect(() => createVerificationPolicy('Sometimes' as 'AlwaysVerify')).toThrow('unknown policy');
  });

  it('trim names', () => {
    expect(['a', 'a:1', 'r:5000/a', 'r:5000/a:1@sha256:x'].map(trimImageName)).toEqual(['a', 'a', 'r:5000/a', 'r:5000/a']);
  });

  it('format sizes', () => {
    expect([0, 1, 600 * 2 ** 20, 200 * 2 ** 30].map(imageSizeBucket)).toEqual(['N/A', '0-10MB', '500MB-1GB', 'GT100GB']);
  });

  it('limit a rate', async () => {
    const clock = createVirtualClock();
    const mayPull = createTokenBucket(2, 3, clock);
    const many = () => [1, 2, 3, 4].map(mayPull);
    expect(many()).toEqual([true, true, true, false]);
    await clock.advance(500);
    expect(many()).toEqual([true, false, false, false]);
    await clock.advance(60_000);
    expect(many()).toEqual([true, true, true, false]);
    expect(Array.from({ length: 50 }, createTokenBucket(0, 0, clock)).every(Boolean)).toBe(true);
  });
});
