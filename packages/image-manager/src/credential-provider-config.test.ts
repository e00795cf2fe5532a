import { describe, expect, it } from 'vitest';
import { parsePluginAnswer, pluginRequest } from './credential-provider-api.js';
import { parseCredentialProviderConfig } from './credential-provider-config.js';

const v1 = 'credentialprovider.kubelet.k8s.io/v1';
const plugin = { name: 'ecr', matchImages: ['*.dkr.example'], defaultCacheDuration: '12h', apiVersion: v1 };
const tokens = { serviceAccountTokenAudience: 'registry', cacheType: 'ServiceAccount', requireServiceAccount: true };
const config = (...providers: unknown[]) => ({ apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers });

describe('parseCredentialProviderConfig', () => {
  it('reads plugins with arguments, variables and token attributes', () => {
    const more = {
      args: ['get-credentials', '$(not a shell)'],
      env: [{ name: 'REGION', value: 'x' }],
      tokenAttributes: { ...tokens, requiredServiceAccountAnnotationKeys: ['a.io/b'], optionalServiceAccountAnnotationKeys: ['c'] },
    };
    expect(parseCredentialProviderConfig(config({ ...plugin, ...more }, { ...plugin, name: 'b', defaultCacheDuration: '0s' }))).toEqual([
      {
        name: 'ecr',
        matchImages: ['*.dkr.example'],
        defaultCacheMs: 43_200_000,
        apiVersion: v1,
        args: ['get-credentials', '$(not a shell)'],
        env: { REGION: 'x' },
        tokenAttributes: more.tokenAttributes,
      },
      { name: 'b', matchImages: ['*.dkr.example'], defaultCacheMs: 0, apiVersion: v1, args: [], env: {} },
    ]);
  });

  it.each([
    ['it', null],
    ['kind', { ...config(plugin), kind: 'KubeletConfiguration' }],
    ['apiVersion', { ...config(plugin), apiVersion: 'v1' }],
    ['providers', config()],
    ['more', { ...config(plugin), more: 1 }],
    ['providers[0]', config('ecr')],
    ['providers[0].matchimages', config({ ...plugin, matchimages: [] })],
    ['providers[0].name', config({ ...plugin, name: undefined })],
    ['providers[0].name', config({ ...plugin, name: '..' })],
    ['providers[0].name', config({ ...plugin, name: '../ecr' })],
    ['providers[0].name', config({ ...plugin, name: 'ecr\0' })],
    ['providers[0].name', config({ ...plugin, name: 'e cr' })],
    ['providers[1].name', config(plugin, plugin)],
    ['providers[0].matchImages', config({ ...plugin, matchImages: [] })],
    ['providers[0].matchImages[1]', config({ ...plugin, matchImages: ['a', 'b[d'] })],
    ['providers[0].matchImages[0]', config({ ...plugin, matchImages: [''] })],
    ['providers[0].defaultCacheDuration', config({ ...plugin, defaultCacheDuration: undefined })],
    ['providers[0].defaultCacheDuration', config({ ...plugin, defaultCacheDuration: '-1s' })],
    ['providers[0].defaultCacheDuration', config({ ...plugin, defaultCacheDuration: 5 })],
    ['providers[0].apiVersion', config({ ...plugin, apiVersion: 'v2' })],
    ['providers[0].args', config({ ...plugin, args: 'x' })],
    ['providers[0].args[0]', config({ ...plugin, args: [1] })],
    ['providers[0].env[0].name', config({ ...plugin, env: [{ name: 'A=B', value: '' }] })],
    ['providers[0].env[0].value', config({ ...plugin, env: [{ name: 'A' }] })],
    [
      'providers[0].tokenAttributes',
      config({ ...plugin, apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1', tokenAttributes: tokens }),
    ],
    ['providers[0].tokenAttributes.cacheType', config({ ...plugin, tokenAttributes: { ...tokens, cacheType: 'Pod' } })],
    [
      'providers[0].tokenAttributes.requireServiceAccount',
      config({ ...plugin, tokenAttributes: { ...tokens, requireServiceAccount: undefined } }),
    ],
    [
      'providers[0].tokenAttributes.serviceAccountTokenAudience',
      config({ ...plugin, tokenAttributes: { ...tokens, serviceAccountTokenAudience: '' } }),
    ],
    [
      'providers[0].tokenAttributes.requiredServiceAccountAnnotationKeys',
      config({
        ...plugin,
        tokenAttributes: { ...tokens, requireServiceAccount: false, requiredServiceAccountAnnotationKeys: ['a'] },
      }),
    ],
    [
      'providers[0].tokenAttributes.requiredServiceAccountAnnotationKeys[1]',
      config({ ...plugin, tokenAttributes: { ...tokens, requiredServiceAccountAnnotationKeys: ['a', 'a'] } }),
    ],
    [
      'providers[0].tokenAttributes.optionalServiceAccountAnnotationKeys',
      config({
        ...plugin,
        tokenAttributes: { ...tokens, requiredServiceAccountAnnotationKeys: ['a'], optionalServiceAccountAnnotationKeys: ['a'] },
      }),
    ],
    [
      'providers[0].tokenAttributes.optionalServiceAccountAnnotationKeys[0]',
      config({ ...plugin, tokenAttributes: { ...tokens, optionalServiceAccountAnnotationKeys: ['a b'] } }),
    ],
  ])('rejects %s (%#)', (field, value) => {
    expect(() => parseCredentialProviderConfig(value)).toThrow(
      expect.objectContaining({
        code: 'InvalidCredentialProviderConfig',
        message: expect.stringContaining(`credential provider config: ${field} `),
      }),
    );
  });
});

describe('requests and responses', () => {
  const [parsed] = parseCredentialProviderConfig(config(plugin));
  if (!parsed) throw new Error('no plugin');
  const answer = (more: object) =>
    JSON.stringify({ kind: 'CredentialProviderResponse', apiVersion: v1, cacheKeyType: 'Image', auth: {}, ...more });

  it('sends the request in the API version of the plugin, with a token only if there is one', () => {
    const account = { token: 't', annotations: { a: 'b' } };
    expect(JSON.parse(pluginRequest(parsed, 'r.example/x'))).toEqual({
      kind: 'CredentialProviderRequest',
      apiVersion: v1,
      image: 'r.example/x',
    });
    expect(JSON.parse(pluginRequest(parsed, 'r.example/x', account))).toMatchObject({
      serviceAccountToken: 't',
      serviceAccountAnnotations: { a: 'b' },
    });
  });

  it('takes the cache duration from the response, else from the configuration', () => {
    expect(parsePluginAnswer(parsed, answer({})).cacheMs).toBe(43_200_000);
    expect(parsePluginAnswer(parsed, answer({ cacheDuration: '0s', auth: null }))).toEqual({
      cacheKeyType: 'Image',
      cacheMs: 0,
      auth: new Map(),
    });
  });

  it.each([
    'secret',
    '["secret"]',
    answer({ kind: 'secret' }),
    answer({ apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1' }),
    answer({ cacheKeyType: 'secret' }),
    answer({ cacheDuration: 'secret' }),
    answer({ cacheDuration: 5 }),
    answer({ auth: ['secret'] }),
    answer({ auth: { secret: 'secret' } }),
    answer({ auth: { r: { username: 'secret', password: 1 } } }),
  ])('rejects %s without quoting it', (output) => {
    let failure: unknown;
    try {
      parsePluginAnswer(parsed, output);
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: 'CredentialProviderFailed', message: expect.not.stringContaining('secret') });
  });
});
