import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createImageCredentials } from './image-credentials.js';
import { readRunOptions } from './run-options.js';

let dir: string;
let binDir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nodeagent-credentials-'));
  binDir = join(dir, 'bin');
  mkdirSync(binDir);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const providerConfig = (name: string, matchImages = '*.plugin.example') => `
apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ${name}
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: ["${matchImages}"]
    defaultCacheDuration: 5m
`;

function program(name: string, login: string): void {
  const answer = {
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    kind: 'CredentialProviderResponse',
    cacheKeyType: 'Registry',
    auth: { '*.plugin.example': { username: login, password: 'p' } },
  };
  writeFileSync(join(binDir, name), `#!/bin/sh\ncat >/dev/null\necho '${JSON.stringify(answer)}'\n`);
  chmodSync(join(binDir, name), 0o755);
}

const create = (config?: string) =>
  createImageCredentials({
    rootDir: dir,
    plugins: config === undefined ? undefined : { config, binDir },
    serviceAccounts: undefined,
    logger: silentLogger,
  });

async function usernames(providers: Awaited<ReturnType<typeof create>>, image: string): Promise<unknown[]> {
  const logins = await Promise.all(providers.map((provider) => provider.lookup(image, buildPod({ name: 'p' }))));
  return logins.flat().map(({ auth }) => auth.username);
}

describe('the registry credentials of a node', () => {
  it('come from config.json in the root directory', async () => {
    const auth = Buffer.from('docker:secret').toString('base64');
    writeFileSync(join(dir, 'config.json'), JSON.stringify({ auths: { 'registry.example': { auth } } }));
    expect(await usernames(await create(), 'registry.example/app')).toEqual(['docker']);
    expect(await usernames(await create(), 'other.example/app')).toEqual([]);
  });

  it('come from plugins of one file, or of the files of a directory in order', async () => {
    program('one', 'first');
    program('two', 'second');
    const folder = join(dir, 'providers');
    mkdirSync(folder);
    writeFileSync(join(folder, '20-two.yml'), providerConfig('two'));
    writeFileSync(join(folder, '10-one.yaml'), providerConfig('one', 'a.plugin.example'));
    writeFileSync(join(folder, 'README'), 'not a configuration');
    expect(await usernames(await create(join(folder, '20-two.yml')), 'a.plugin.example/app')).toEqual(['second']);
    expect(await usernames(await create(folder), 'a.plugin.example/app')).toEqual(['first', 'second']);
    expect(await usernames(await create(folder), 'b.plugin.example/app')).toEqual(['second']);
  });

  it('rejects an invalid file with its path and the error', async () => {
    program('one', 'first');
    const file = join(dir, 'providers.yaml');
    const refusal = (text: string) => {
      writeFileSync(file, text);
      return create(file).then(
        () => 'accepted',
        (error: Error) => error.message.replaceAll(dir, ''),
      );
    };
    expect(await refusal(providerConfig('absent'))).toBe(
      '--image-credential-provider-config /providers.yaml: the plugin absent is not an executable file in /bin',
    );
    expect(await refusal(providerConfig('one').replace('matchImages', 'images'))).toMatch(
      /^\/providers\.yaml: credential provider config: providers\[0\]\.images is not a known field/,
    );
    expect(await refusal(`${providerConfig('one')}${providerConfig('one').split('providers:')[1]}`)).toMatch(/must be unique/);
    const prefix = '--image-credential-provider-config /providers.yaml: ';
    expect(await refusal('password: "secret\n\t')).toBe(`${prefix}is not valid YAML or JSON: line 2: MISSING_CHAR`);
    expect(await refusal('a: 1\npassword: x\npassword: secret')).toBe(`${prefix}line 3: the key occurs twice`);
    expect(await refusal('a: 1\n---\na: 2')).toBe(`${prefix}has more than one document`);
    expect(await refusal(`a: &a secret\nb:\n${'- *a\n'.repeat(1001)}`)).toBe(`${prefix}more than the limit of 1000 aliases`);
    await expect(create(join(dir, 'nowhere'))).rejects.toMatchObject({ code: 'CREDENTIAL_PROVIDER_CONFIG' });
    const empty = join(dir, 'empty');
    mkdirSync(empty);
    await expect(create(empty)).rejects.toThrow('no *.json, *.yaml or *.yml in it');
  });
});

it('requires both flags or none', () => {
  const read = (...args: string[]) => readRunOptions(args, {}, true).credentialPlugins;
  expect(read()).toBeUndefined();
  expect(read('--image-credential-provider-config', '/c', '--image-credential-provider-bin-dir', '/b')).toEqual({
    config: '/c',
    binDir: '/b',
  });
  expect(() => read('--image-credential-provider-config', '/c')).toThrow('requires --image-credential-provider-bin-dir');
  expect(() => read('--image-credential-provider-bin-dir', '/b')).toThrow('requires --image-credential-provider-config');
});
