import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type Pod, type ServiceAccount, systemClock } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { CredentialProviderPlugin, TokenAttributes } from './credential-provider-config.js';
import { createExecCredentialProvider, type ExecCredentialProviderOptions } from './exec-credential-provider.js';
import { type RunPlugin, runPluginProcess } from './run-plugin.js';

const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
const plugin = (more: Partial<CredentialProviderPlugin> = {}): CredentialProviderPlugin => ({
  name: 'ecr',
  matchImages: ['*.example'],
  defaultCacheMs: 60_000,
  apiVersion,
  args: ['get'],
  env: { REGION: 'x' },
  ...more,
});
const answer = (more: object = {}) =>
  JSON.stringify({
    kind: 'CredentialProviderResponse',
    apiVersion,
    cacheKeyType: 'Image',
    auth: { 'r.example': { username: 'u', password: 'hidden' } },
    ...more,
  });
const pod: Pod = { metadata: { name: 'p', namespace: 'ns', uid: 'u' }, spec: { containers: [], serviceAccountName: 'builder' } };

function provide(plugins: CredentialProviderPlugin[], run: RunPlugin, more: Partial<ExecCredentialProviderOptions> = {}) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const inputs: { path: string; image: string; token?: string; annotations?: object }[] = [];
  const provider = createExecCredentialProvider({
    plugins,
    binDir: '/plugins',
    clock,
    logger,
    run: (command, input, signal) => {
      const { image, serviceAccountToken: token, serviceAccountAnnotations: annotations } = JSON.parse(input);
      inputs.push({ path: command.path, image, ...(token && { token, annotations }) });
      return run(command, input, signal);
    },
    ...more,
  });
  const users = async (image: string, of: Pod = pod, signal?: AbortSignal) =>
    (await provider.lookup(image, of, signal)).map(({ auth }) => auth.username);
  return { clock, logger, inputs, provider, users };
}

describe('plugins', () => {
  it('run for the images that they match, and return logins in the order of the keyring', async () => {
    const names = { first: 'r.example', second: 'r.example/team', other: 'r.example' };
    const plugins = [plugin({ name: 'first' }), plugin({ name: 'other', matchImages: ['*.other'] }), plugin({ name: 'second' })];
    const { users, inputs } = provide(plugins, async ({ path, args, env }) => {
      expect([args, env]).toEqual([['get'], { REGION: 'x' }]);
      const name = path.slice('/plugins/'.length) as keyof typeof names;
      return answer({ auth: { [names[name]]: { username: name, password: 'p' }, 'else.example': { username: 'else', password: 'p' } } });
    });
    expect(await users('r.example/team/app')).toEqual(['second', 'first']);
    expect(inputs.map(({ path, image }) => `${path} ${image}`)).toEqual([
      '/plugins/first r.example/team/app',
      '/plugins/second r.example/team/app',
    ]);
  });

  it('do not run for a pattern with a scheme, as in the kubelet', async () => {
    const { users, inputs } = provide([plugin({ matchImages: ['https://r.example', 'http://r.example/'] })], async () => answer());
    await users('r.example/a');
    expect(inputs).toEqual([]);
  });

  it.each([
    ['Image', ['r.example/a', 'r.example/b', 's.example/a']],
    ['Registry', ['r.example/a', 's.example/a']],
    ['Global', ['r.example/a']],
  ])('run once for each %s while the response is cached', async (cacheKeyType, asked) => {
    const { users, inputs, clock } = provide([plugin()], async () => answer({ cacheKeyType, cacheDuration: '30s' }));
    const images = ['r.example/a', 'r.example/b', 's.example/a'];
    for (let round = 0; round < 2; round++) for (const image of images) await users(image);
    expect(inputs.map(({ image }) => image)).toEqual(asked);
    await clock.advance(29_999);
    await users('r.example/a');
    expect(inputs).toHaveLength(asked.length);
    await clock.advance(1);
    await users('r.example/a');
    expect(inputs).toHaveLength(asked.length + 1);
  });

  it('run for each lookup if the response must not be cached', async () => {
    const { users, inputs } = provide([plugin()], async () => answer({ cacheDuration: '0s' }));
    expect([await users('r.example/a'), await users('r.example/a')]).toEqual([['u'], ['u']]);
    expect(inputs).toHaveLength(2);
  });

  it('run once for concurrent lookups, also if one of the callers aborts', async () => {
    let finish: (output: string) => void = () => {};
    const { users, inputs } = provide([plugin()], () => new Promise((resolve) => (finish = resolve)));
    const leaves = new AbortController();
    const first = users('r.example/a', pod, leaves.signal);
    const second = users('r.example/a');
    await new Promise(setImmediate);
    leaves.abort(new Error('pod deleted'));
    await expect(first).rejects.toThrow('pod deleted');
    finish(answer());
    expect(await second).toEqual(['u']);
    expect(inputs).toHaveLength(1);
    await expect(users('r.example/a', pod, leaves.signal)).rejects.toThrow('pod deleted');
  });
});

describe('a plugin that fails', () => {
  it('returns no logins, is counted, and runs again for the next lookup; other plugins run', async () => {
    const counted: string[] = [];
    const metric = (name: string) => ({ inc: () => counted.push(name), set() {}, observe: () => counted.push(name) });
    const metrics = { counter: ({ name }: { name: string }) => metric(name), gauge: () => metric(''), histogram: () => metric('duration') };
    const outputs = [
      Promise.reject(new Error('exit status 1')),
      Promise.resolve(answer({ cacheKeyType: 'hidden' })),
      Promise.resolve(answer()),
    ];
    for (const output of outputs) output.catch(() => {});
    const { users, logger } = provide([plugin()], () => outputs.shift() ?? Promise.reject(new Error('no more')), { metrics });
    expect([await users('r.example/a'), await users('r.example/a'), await users('r.example/a')]).toEqual([[], [], ['u']]);
    expect(counted.filter((name) => name === 'kubelet_credential_provider_plugin_errors_total')).toHaveLength(2);
    expect(counted.filter((name) => name === 'duration')).toHaveLength(3);
    expect(logger.texts().join()).toContain('exit status 1');
    // With all that errors carry.
    expect(inspect(logger.lines, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain('hidden');
  });

  it('is aborted after a minute', async () => {
    let reason: unknown;
    const { users, clock, logger } = provide([plugin()], (_command, _input, signal) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return new Promise(() => {});
    });
    const found = users('r.example/a');
    await clock.advance(59_999);
    expect(reason).toBeUndefined();
    await clock.advance(1);
    expect(await found).toEqual([]);
    expect(reason).toMatchObject({ code: 'CredentialProviderFailed', retryable: true });
    expect(logger.texts().join()).toContain('did not respond within 60 s');
    expect(clock.pending).toBe(0);
  });

  it('is aborted when the agent stops', async () => {
    const agent = new AbortController();
    const { users, clock } = provide([plugin()], () => new Promise(() => {}), { signal: agent.signal });
    const found = users('r.example/a');
    await new Promise(setImmediate);
    agent.abort(new Error('stopped'));
    expect(await found).toEqual([]);
    expect(await users('r.example/b')).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is rejected outside the folder of plugins', () => {
    expect(() => provide([plugin()], runPluginProcess, { binDir: 'plugins' })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field: 'binDir' } }),
    );
  });
});

describe('service account tokens', () => {
  const attributes: TokenAttributes = {
    serviceAccountTokenAudience: 'registry',
    cacheType: 'ServiceAccount',
    requireServiceAccount: true,
    requiredServiceAccountAnnotationKeys: ['team'],
    optionalServiceAccountAnnotationKeys: ['role'],
  };
  const account: ServiceAccount = { metadata: { name: 'builder', namespace: 'ns', uid: 'sa1', annotations: { team: 'a', other: 'x' } } };

  function withTokens(more: Partial<TokenAttributes> = {}, found: () => Promise<ServiceAccount> = async () => account) {
    let tokens = 0;
    return provide([plugin({ tokenAttributes: { ...attributes, ...more } })], async () => answer(), {
      serviceAccounts: {
        get: ({ namespace, name }) => (namespace === 'ns' && name === 'builder' ? found() : Promise.reject(new Error('wrong'))),
        createToken: async ({ name }, request) => ({
          ...request,
          status: { token: `${name}-${request.spec.audiences}-${++tokens}`, expirationTimestamp: '' },
        }),
      },
    });
  }

  it('are sent to the plugin with the configured annotations, and the login belongs to the service account', async () => {
    const { provider, inputs } = withTokens();
    expect((await provider.lookup('r.example/a', pod))[0]?.source).toEqual({
      serviceAccount: { uid: 'sa1', namespace: 'ns', name: 'builder' },
    });
    expect(inputs).toEqual([{ path: '/plugins/ecr', image: 'r.example/a', token: 'builder-registry-1', annotations: { team: 'a' } }]);
  });

  it.each([
    ['ServiceAccount', 1],
    ['Token', 2],
  ] as const)('with cacheType %s need %i runs for two tokens', async (cacheType, runs) => {
    const { users, inputs } = withTokens({ cacheType });
    expect([await users('r.example/a'), await users('r.example/a')]).toEqual([['u'], ['u']]);
    expect(inputs).toHaveLength(runs);
  });

  it('are cached by service account and annotations', async () => {
    let found = account;
    const { users, inputs } = withTokens({}, async () => found);
    await users('r.example/a');
    found = { metadata: { ...account.metadata, uid: 'sa2' } };
    await users('r.example/a');
    found = { metadata: { ...account.metadata, annotations: { team: 'b' } } };
    await users('r.example/a');
    expect(inputs).toHaveLength(3);
  });

  it('skip the plugin if requesting them fails, unless the pod has no service account and none is required', async () => {
    const none: Pod = { metadata: { name: 'p', namespace: 'ns' }, spec: { containers: [] } };
    const strict = withTokens();
    expect([await strict.users('r.example/a', none), strict.inputs]).toEqual([[], []]);
    const lax = withTokens({ requireServiceAccount: false, requiredServiceAccountAnnotationKeys: [] });
    const [login] = await lax.provider.lookup('r.example/a', none);
    expect([login?.source, lax.inputs[0]]).toEqual([undefined, { path: '/plugins/ecr', image: 'r.example/a' }]);

    const unannotated = withTokens({}, async () => ({ metadata: { name: 'builder' } }));
    expect([await unannotated.users('r.example/a'), unannotated.inputs]).toEqual([[], []]);
    const failing = withTokens({}, () => Promise.reject(new Error('no such account')));
    expect([await failing.users('r.example/a'), failing.inputs]).toEqual([[], []]);
    expect(failing.logger.texts().join()).toContain('no such account');
    const unconfigured = provide([plugin({ tokenAttributes: attributes })], async () => answer());
    expect([await unconfigured.users('r.example/a'), unconfigured.inputs]).toEqual([[], []]);
  });
});

describe('a plugin process', () => {
  async function inFolder<T>(work: (add: (name: string, script: string) => Promise<string>) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), 'plugins-'));
    const add = async (name: string, script: string) => {
      await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
      await chmod(join(folder, name), 0o755);
      return join(folder, name);
    };
    return work(add).finally(() => rm(folder, { recursive: true, force: true }));
  }
  const never = new AbortController().signal;

  it('gets its arguments, variables and request, without a shell', () =>
    inFolder(async (add) => {
      const path = await add('echo', 'read line; printf "%s|%s|%s" "$line" "$1" "$KIND"');
      expect(await runPluginProcess({ path, args: ['$(id) ; x'], env: { KIND: 'k' } }, 'request\n', never)).toBe('request|$(id) ; x|k');
    }));

  it('returns the logins of its response', () =>
    inFolder(async (add) => {
      const path = await add('ecr', `cat >/dev/null; cat <<'END'\n${answer()}\nEND`);
      const provider = createExecCredentialProvider({ plugins: [plugin()], binDir: join(path, '..'), clock: systemClock });
      expect((await provider.lookup('r.example/a', pod)).map(({ auth }) => auth)).toEqual([{ username: 'u', password: 'hidden' }]);
    }));

  it.each([
    ['exit 3', 'exit status 3'],
    ['kill -9 $$', 'signal SIGKILL'],
    ['head -c 2000000 /dev/zero', 'its response is longer than 1048576 bytes'],
  ])('fails for %j without its output in the error', (script, message) =>
    inFolder(async (add) => {
      const path = await add('bad', `echo hidden; echo hidden >&2; ${script}`);
      await expect(runPluginProcess({ path, args: [], env: {} }, 'hidden', never)).rejects.toMatchObject({
        code: 'CredentialProviderFailed',
        message,
      });
    }),
  );

  it('fails if the plugin is missing or aborted', async () => {
    await expect(runPluginProcess({ path: '/nowhere/plugin', args: [], env: {} }, '', never)).rejects.toThrow('ENOENT');
    await inFolder(async (add) => {
      const path = await add('slow', 'exec sleep 60');
      const end = new AbortController();
      const running = runPluginProcess({ path, args: [], env: {} }, 'x'.repeat(200_000), end.signal);
      end.abort();
      await expect(running).rejects.toMatchObject({ code: 'CredentialProviderFailed' });
    });
  });
});
