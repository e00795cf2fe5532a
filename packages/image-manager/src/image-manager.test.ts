import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metrics, Pod, Secret } from '@nodeagent/api';
import type { Image, ImageService, PullImageRequest } from '@nodeagent/cri-api';
import { createVirtualClock, type VirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CriImageRequest, ImageManagerOptions } from './contracts.js';
import type { CredentialProvider } from './credentials.js';
import { createFilePullRecords } from './file-pull-records.js';
import { createImageManager } from './image-manager.js';
import { createMemoryPullRecords } from './memory-pull-records.js';

/** A runtime whose registry takes a second a pull, asks private images for a password, and fails on request. */
function fakeRuntime(clock: VirtualClock) {
  const local = new Map<string, Image>();
  const state = { failure: '', inspectFailure: '', requests: [] as PullImageRequest[], running: 0, maxRunning: 0 };
  const images: Pick<ImageService, 'imageStatus' | 'pullImage' | 'listImages'> = {
    async imageStatus({ image }) {
      if (state.inspectFailure) throw new Error(state.inspectFailure);
      return { image: local.get(image?.image ?? ''), info: {} };
    },
    async listImages() {
      return { images: Array.from(local.values()) };
    },
    async pullImage(request, options) {
      state.requests.push(request);
      state.maxRunning = Math.max(state.maxRunning, ++state.running);
      try {
        await clock.sleep(1000, options?.signal);
        if (state.failure) throw new Error(state.failure);
        const name = request.image?.image ?? '';
        if (name.startsWith('private') && request.auth?.password !== 'right') {
          throw new Error(`access denied for ${request.auth?.username ?? 'anonymous'}`);
        }
        add(name);
        return { imageRef: `sha256:${name}` };
      } finally {
        state.running--;
      }
    },
  };
  const add = (name: string) =>
    local.set(name, { id: `sha256:${name}`, repoTags: [name], repoDigests: [], size: 5_000_000n, username: '', pinned: false });
  return { images, state, add };
}

const secret = (name: string, password: string, uid = `uid-${name}`): Secret => ({
  metadata: { namespace: 'prod', name, uid },
  type: 'kubernetes.io/dockerconfigjson',
  data: {
    '.dockerconfigjson': Buffer.from(JSON.stringify({ auths: { 'private.example': { username: name, password } } })).toString('base64'),
  },
});

let clock: VirtualClock;
let runtime: ReturnType<typeof fakeRuntime>;
let events: string[];
let directory: string;

beforeEach(async () => {
  clock = createVirtualClock();
  runtime = fakeRuntime(clock);
  events = [];
  directory = await mkdtemp(join(tmpdir(), 'image-manager-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function manage(more: Partial<ImageManagerOptions> = {}) {
  return createImageManager({
    images: runtime.images,
    clock,
    recorder: { event: (_object, type, reason, message) => events.push(`${type} ${reason}: ${message}`) },
    ...more,
  });
}

const wish = (image: string, more: Partial<CriImageRequest> = {}): CriImageRequest => ({
  object: { kind: 'Pod', name: 'web' },
  pod: { metadata: { uid: 'u1', namespace: 'prod', annotations: { team: 'a' } } },
  image,
  pullPolicy: 'IfNotPresent',
  ...more,
});

/** The outcome after as much virtual time as it needs. */
async function outcome(promise: Promise<{ imageRef: string }>) {
  const settled = promise.then(
    ({ imageRef }) => ({ imageRef }),
    (error: { code?: string; message: string; details?: object }) => ({ code: error.code, message: error.message, details: error.details }),
  );
  let done = false;
  void settled.then(() => {
    done = true;
  });
  while (!done) if (!(await clock.advanceToNext())) await new Promise(setImmediate);
  return settled;
}

describe('pull policies', () => {
  it("pulls an absent image with the default tag and the pod's annotations", async () => {
    expect(await outcome(manage().ensureImageExists(wish('nginx', { runtimeHandler: 'kata' })))).toEqual({
      imageRef: 'sha256:nginx:latest',
    });
    expect(runtime.state.requests).toMatchObject([
      { image: { image: 'nginx:latest', annotations: { team: 'a' }, runtimeHandler: 'kata' } },
    ]);
    expect(events).toEqual([
      'Normal Pulling: Pulling image "nginx"',
      'Normal Pulled: Successfully pulled image "nginx" in 1s (1s including waiting). Image size: 5000000 bytes.',
    ]);
  });

  it.each([
    ['a number', { uid: { value: 7n } }, { uid: 7n }],
    ['a name', { username: 'www' }, { username: 'www' }],
    ['none', {}, {}],
  ])('reports the user of a present image: %s', async (_, image, user) => {
    const images = { ...runtime.images, imageStatus: async () => ({ image: { id: 'i', size: 1n, ...image } as Image, info: {} }) };
    expect(await manage({ images }).ensureImageExists(wish('nginx:1'))).toMatchObject({ imageRef: 'i', user });
  });

  it('uses a present image, except with Always', async () => {
    runtime.add('nginx:1');
    const manager = manage();
    expect(await outcome(manager.ensureImageExists(wish('nginx:1')))).toEqual({ imageRef: 'sha256:nginx:1' });
    expect(events).toEqual(['Normal Pulled: Container image "nginx:1" already present on machine and can be accessed by the pod']);
    await outcome(manager.ensureImageExists(wish('nginx:1', { pullPolicy: 'Always' })));
    expect(runtime.state.requests).toHaveLength(1);
  });

  it.each<[string, Partial<CriImageRequest>, string]>([
    ['ErrImageNeverPull', { pullPolicy: 'Never' }, 'Container image "app" is not present with pull policy of Never'],
    ['InvalidImageName', { image: 'App' }, 'Failed to apply default image tag "App": couldn\'t parse image name "App"'],
  ])('fails with %s', async (code, more, message) => {
    const failure = await outcome(manage().ensureImageExists(wish('app', more)));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(events[0]).toContain(message);
  });

  it('fails with ImageInspectError if ImageStatus fails', async () => {
    runtime.state.inspectFailure = 'connection refused';
    expect(await outcome(manage().ensureImageExists(wish('app')))).toMatchObject({
      code: 'ImageInspectError',
      message: 'Failed to inspect image "": connection refused',
    });
  });
});

describe('back-off', () => {
  it('doubles from 10 to 300 seconds, reports its end in the error, and resets after a success', async () => {
    const manager = manage();
    runtime.state.failure = 'no such host';
    for (const seconds of [10, 20, 40, 80, 160, 300, 300]) {
      expect(await outcome(manager.ensureImageExists(wish('app')))).toMatchObject({ code: 'ErrImagePull', message: 'no such host' });
      const until = clock.now() + seconds * 1000;
      await clock.advance(seconds * 1000 - 1);
      expect(await outcome(manager.ensureImageExists(wish('app')))).toEqual({
        code: 'ImagePullBackOff',
        message: 'Back-off pulling image "app": ErrImagePull: no such host',
        details: { expiry: until },
      });
      await clock.advance(1);
    }
    expect(events.at(-1)).toBe('Normal BackOff: Back-off pulling image "app"');
    const other = { pod: { metadata: { uid: 'u2' } } };
    expect(await outcome(manager.ensureImageExists(wish('app', other)))).toMatchObject({ code: 'ErrImagePull' });
    await clock.advance(601_000);
    manager.collectBackOff();
    runtime.state.failure = '';
    expect(await outcome(manager.ensureImageExists(wish('app')))).toEqual({ imageRef: 'sha256:app:latest' });
  });

  it.each([
    ['RegistryUnavailable: refused', 'RegistryUnavailable', 'image pull failed for app because the registry is unavailable: refused'],
    ['SignatureValidationFailed', 'SignatureValidationFailed', 'image pull failed for app because the signature validation failed'],
  ])('maps the failure %j', async (failure, code, message) => {
    runtime.state.failure = failure;
    expect(await outcome(manage().ensureImageExists(wish('app')))).toMatchObject({ code, message });
  });
});

describe('limits', () => {
  const five = ['a', 'b', 'c', 'd', 'e'];

  it('pulls one image at a time by default', async () => {
    const manager = manage();
    const all = Promise.all(five.map((image) => manager.ensureImageExists(wish(image))));
    await clock.advance(500);
    const since = clock.now() - 500;
    expect(manager.pulls()[0]).toMatchObject({ since, startedAt: since });
    expect(manager.pulls()[1]).not.toHaveProperty('startedAt');
    expect(manager.pulls().map(({ image, state }) => `${image} ${state}`)).toEqual([
      'a pulling',
      'b waiting',
      'c waiting',
      'd waiting',
      'e waiting',
    ]);
    await clock.advance(5000);
    await all;
    expect(runtime.state.maxRunning).toBe(1);
    expect(manager.pulls()).toEqual([]);
    expect(events.at(-1)).toContain('in 1s (5s including waiting)');
  });

  it.each([
    [{ maxParallelImagePulls: 2 }, 2],
    [{ serializeImagePulls: false }, 5],
  ])('pulls several images concurrently with %o', async (settings, expected) => {
    const manager = manage({ settings });
    const all = Promise.all(five.map((image) => manager.ensureImageExists(wish(image))));
    await clock.advance(5000);
    await all;
    expect(runtime.state.maxRunning).toBe(expected);
  });

  it('rejects pulls above the rate limit, and backs off', async () => {
    const manager = manage({ settings: { serializeImagePulls: false, registryPullQPS: 1, registryBurst: 2 } });
    const all = Promise.allSettled(five.map((image) => manager.ensureImageExists(wish(image))));
    await clock.advance(1000);
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(events.filter((event) => event.includes('pull QPS exceeded'))).toHaveLength(3);
    expect(await outcome(manager.ensureImageExists(wish('c')))).toMatchObject({ code: 'ImagePullBackOff' });
  });

  it('removes an aborted request from the queue, without back-off', async () => {
    const manager = manage();
    const first = manager.ensureImageExists(wish('a'));
    const controller = new AbortController();
    const second = expect(manager.ensureImageExists(wish('b'), controller.signal)).rejects.toThrow('pod was removed');
    await clock.advance(100);
    controller.abort(new Error('pod was removed'));
    await second;
    await clock.advance(900);
    await first;
    expect(runtime.state.requests).toHaveLength(1);
    expect(await outcome(manager.ensureImageExists(wish('b')))).toEqual({ imageRef: 'sha256:b:latest' });
  });

  it('aborts a hanging pull, backs off and continues with the next pull', async () => {
    const never = new Promise<never>(() => {});
    const { pullImage } = runtime.images;
    runtime.images.pullImage = (request, options) => (request.image?.image === 'a:latest' ? never : pullImage(request, options));
    const manager = manage({ settings: { pullTimeoutMs: 60_000 } });
    const hanging = manager.ensureImageExists(wish('a'));
    const next = manager.ensureImageExists(wish('b'));
    expect(await outcome(hanging)).toMatchObject({ code: 'ErrImagePull', message: 'PullImage: the runtime did not respond within 60 s' });
    expect(await outcome(next)).toEqual({ imageRef: 'sha256:b:latest' });
    expect(await outcome(manager.ensureImageExists(wish('a')))).toMatchObject({ code: 'ImagePullBackOff' });
  });

  it('aborts a running pull', async () => {
    const manager = manage();
    const controller = new AbortController();
    const pull = expect(manager.ensureImageExists(wish('a'), controller.signal)).rejects.toThrow('stop');
    await clock.advance(500);
    controller.abort(new Error('stop'));
    await pull;
    expect(manager.pulls()).toEqual([]);
    expect(events).toEqual(['Normal Pulling: Pulling image "a"']);
  });

  it.each([
    [{ registryPullQPS: -1 }, 'registryPullQPS'],
    [{ registryBurst: 0.5 }, 'registryBurst'],
    [{ serializeImagePulls: true, maxParallelImagePulls: 3 }, 'maxParallelImagePulls'],
    [{ initialBackOffMs: Number.NaN }, 'initialBackOffMs'],
  ])('rejects the settings %o', (settings, field) => {
    expect(() => manage({ settings })).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field: `settings.${field}` } }));
  });
});

describe('credentials', () => {
  const private1 = 'private.example/app:1';

  it('tries each login in turn and reports all failures', async () => {
    const manager = manage();
    const pullSecrets = [secret('one', 'wrong'), secret('two', 'wrong')];
    expect(await outcome(manager.ensureImageExists(wish(private1, { pullSecrets })))).toMatchObject({
      code: 'ErrImagePull',
      message: '[access denied for one, access denied for two]',
    });
    expect(runtime.state.requests.map(({ auth }) => auth)).toEqual([
      { username: 'one', password: 'wrong' },
      { username: 'two', password: 'wrong' },
    ]);
  });

  it('tries no further login once the pull is aborted', async () => {
    const manager = manage();
    const controller = new AbortController();
    const pullSecrets = [secret('one', 'wrong'), secret('two', 'right')];
    const pull = expect(manager.ensureImageExists(wish(private1, { pullSecrets }), controller.signal)).rejects.toThrow(/^stop$/);
    await clock.advance(500);
    controller.abort(new Error('stop'));
    await pull;
    await clock.advance(5_000);
    expect(runtime.state.requests).toHaveLength(1);
  });

  it('allows a present image only for pods with the recorded secret', async () => {
    const manager = manage();
    expect(await outcome(manager.ensureImageExists(wish(private1, { pullSecrets: [secret('two', 'right')] })))).toHaveProperty('imageRef');
    events.length = 0;
    const again = wish(private1, { pullSecrets: [secret('copy', 'right', 'uid-two')], pullPolicy: 'Never' });
    expect(await outcome(manager.ensureImageExists(again))).toMatchObject({ code: 'ErrImageNeverPull' });
    expect(await outcome(manager.ensureImageExists(wish(private1, { pullSecrets: [secret('two', 'right')] })))).toHaveProperty('imageRef');
    expect(await outcome(manager.ensureImageExists(wish(private1, { pullSecrets: [secret('two', 'rotated')] })))).toHaveProperty(
      'imageRef',
    );
    expect(runtime.state.requests).toHaveLength(1);
    expect(await outcome(manager.ensureImageExists(wish(private1)))).toMatchObject({ code: 'ErrImagePull' });
  });

  it('allows an image for all pods after a pull with the credentials of the node', async () => {
    const node = { lookup: async () => [{ auth: { username: 'node', password: 'right' }, hash: 'h' }] };
    const manager = manage({ credentials: [node] });
    await outcome(manager.ensureImageExists(wish(private1, { pullSecrets: [secret('one', 'wrong')] })));
    expect(runtime.state.requests.map(({ auth }) => auth?.username)).toEqual(['one', 'node']);
    expect(await outcome(manager.ensureImageExists(wish(private1)))).toHaveProperty('imageRef');
    expect(runtime.state.requests).toHaveLength(2);
  });

  it("allows an image that was pulled with a service account's credentials only for pods of that account", async () => {
    const account = (pod: Pod) => ({
      uid: `sa-${pod.spec?.serviceAccountName}`,
      namespace: 'prod',
      name: pod.spec?.serviceAccountName ?? '',
    });
    const provider: CredentialProvider = {
      lookup: async (_repository, pod) => [
        { auth: { username: 'sa', password: 'right' }, hash: 'h', source: { serviceAccount: account(pod) } },
      ],
    };
    const manager = manage({ credentials: [provider] });
    const of = (serviceAccountName: string) =>
      wish('private.example/app:1', { pod: { metadata: { uid: serviceAccountName }, spec: { containers: [], serviceAccountName } } });
    for (const name of ['builder', 'builder', 'other', 'other']) await outcome(manager.ensureImageExists(of(name)));
    expect(runtime.state.requests.map(({ auth }) => auth?.username)).toEqual(['sa', 'sa']);
  });

  it('fails for an invalid pull secret, without its content in the error', async () => {
    const broken = { ...secret('bad', ''), data: { '.dockerconfigjson': Buffer.from('{"auths": s3cr3t').toString('base64') } };
    const failure = await outcome(manage().ensureImageExists(wish(private1, { pullSecrets: [broken] })));
    expect(failure).toMatchObject({ code: 'InvalidPullCredentials', message: 'pull secret prod/bad: docker config: invalid JSON' });
  });

  it('counts requests and checks', async () => {
    const counted: string[] = [];
    const count = (name: string) => (value: number, labels?: object) =>
      counted.push(`${name} ${Object.values(labels ?? {}).join(' ')} ${value}`);
    const metrics: Metrics = {
      counter: ({ name }) => ({ inc: (labels, by = 1) => void count(name)(by, labels) }),
      gauge: () => ({ set() {} }),
      histogram: ({ name }) => ({ observe: count(name) }),
    };
    runtime.add('app:1');
    const manager = manage({ metrics });
    await outcome(manager.ensureImageExists(wish('app:1')));
    await outcome(manager.ensureImageExists(wish('app:1', { pullPolicy: 'Always' })));
    expect(counted).toEqual([
      'kubelet_imagemanager_image_mustpull_checks_total credentialPolicyAllowed 1',
      'kubelet_image_manager_ensure_image_requests_total ifnotpresent true false 1',
      'kubelet_image_pull_duration_seconds 0-10MB 1',
      'kubelet_image_manager_ensure_image_requests_total always unknown true 1',
    ]);
    await outcome(manager.ensureImageExists(wish('absent:1', { pullPolicy: 'Never' })));
    expect(counted.at(-1)).toBe('kubelet_image_manager_ensure_image_requests_total never false unknown 1');
  });
});

describe('pull records on disk', () => {
  const private1 = 'private.example/app:1';

  it('survive a restart, in the format of the kubelet', async () => {
    const first = manage({ pullRecords: createFilePullRecords({ directory }) });
    await outcome(first.ensureImageExists(wish(private1, { pullSecrets: [secret('two', 'right')] })));
    const [file = ''] = await readdir(join(directory, 'pulled'));
    expect(await readdir(join(directory, 'pulling'))).toEqual([]);
    expect((await stat(join(directory, 'pulled', file))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(join(directory, 'pulled', file), 'utf8'))).toMatchObject({
      kind: 'ImagePulledRecord',
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      imageRef: `sha256:${private1}`,
      credentialMapping: { 'private.example/app': { kubernetesSecrets: [{ namespace: 'prod', name: 'two', uid: 'uid-two' }] } },
    });
    const second = manage({ pullRecords: createFilePullRecords({ directory }) });
    await second.start();
    expect(await outcome(second.ensureImageExists(wish(private1, { pullPolicy: 'Never' })))).toMatchObject({ code: 'ErrImageNeverPull' });
  });

  it('require credentials for an image whose pull was interrupted by a crash', async () => {
    const records = createFilePullRecords({ directory });
    await records.writeIntent({ image: private1 });
    await records.writeIntent({ image: 'never/came:1' });
    runtime.add(private1);
    const manager = manage({ pullRecords: records });
    await manager.start();
    expect(await records.listIntents()).toEqual([]);
    expect((await records.listPulledRecords()).map(({ imageRef, credentialMapping }) => [imageRef, credentialMapping])).toEqual([
      [`sha256:${private1}`, {}],
    ]);
    expect(await outcome(manager.ensureImageExists(wish(private1, { pullPolicy: 'Never' })))).toMatchObject({ code: 'ErrImageNeverPull' });
  });

  it('keep the intent of an interrupted pull until its record is written', async () => {
    const memory = createMemoryPullRecords();
    await memory.writeIntent({ image: private1 });
    runtime.add(private1);
    const failing = { ...memory, writePulledRecord: () => Promise.reject(new Error('disk full')) };
    await expect(manage({ pullRecords: failing }).start()).rejects.toThrow('disk full');
    expect(await memory.listIntents()).toEqual([{ image: private1 }]);
    await manage({ pullRecords: memory }).start();
    expect([await memory.listIntents(), (await memory.listPulledRecords()).length]).toEqual([[], 1]);
  });

  it('keep the intent while another pod pulls the same image', async () => {
    const memory = createMemoryPullRecords();
    const manager = manage({ pullRecords: memory, settings: { serializeImagePulls: false } });
    const first = manager.ensureImageExists(wish('a', { pullPolicy: 'Always' }));
    await clock.advance(500);
    const second = manager.ensureImageExists(wish('a', { pullPolicy: 'Always', pod: { metadata: { uid: 'u2', namespace: 'prod' } } }));
    await outcome(first);
    expect(await memory.listIntents()).toEqual([{ image: 'a' }]);
    await outcome(second);
    expect(await memory.listIntents()).toEqual([]);
  });

  it('are removed with their images', async () => {
    const records = createFilePullRecords({ directory });
    const manager = manage({ pullRecords: records });
    await outcome(manager.ensureImageExists(wish('a')));
    await outcome(manager.ensureImageExists(wish('b')));
    await clock.advance(60_000);
    await manager.pruneUnknownRecords(new Set(['sha256:a:latest']), clock.now());
    expect((await records.listPulledRecords()).map(({ imageRef }) => imageRef)).toEqual(['sha256:a:latest']);
  });

  it('require credentials for an image if they are unreadable, without effect on other images', async () => {
    const records = createFilePullRecords({ directory });
    const manager = manage({ pullRecords: records });
    await outcome(manager.ensureImageExists(wish('a')));
    const [file = ''] = await readdir(join(directory, 'pulled'));
    await writeFile(join(directory, 'pulled', file), '{"half": ');
    expect(await outcome(manager.ensureImageExists(wish('a', { pullPolicy: 'Never' })))).toMatchObject({ code: 'ErrImageNeverPull' });
    await expect(records.getPulledRecord('sha256:a:latest')).rejects.toMatchObject({ code: 'PullRecordError' });
    expect(await records.listPulledRecords()).toEqual([]);
    await writeFile(join(directory, 'pulled', file), JSON.stringify({ imageRef: 'another', credentialMapping: {} }));
    expect(await records.getPulledRecord('sha256:a:latest')).toBeUndefined();
    await writeFile(join(directory, 'pulled', file), JSON.stringify({ imageRef: 'sha256:a:latest' }));
    expect(await records.getPulledRecord('sha256:a:latest')).toMatchObject({ credentialMapping: {} });
  });

  it('prevent the pull if the intent cannot be written, and keep the intent if the record cannot', async () => {
    await writeFile(join(directory, 'file'), '');
    const blocked = manage({ pullRecords: createFilePullRecords({ directory: join(directory, 'file') }) });
    const failure = await outcome(blocked.ensureImageExists(wish('a')));
    expect(failure).toMatchObject({
      code: 'ErrImagePull',
      message: expect.stringContaining('Failed to record image pull intent for container image "a"'),
    });
    expect(runtime.state.requests).toEqual([]);

    const memory = createMemoryPullRecords();
    const halfBroken = { ...memory, writePulledRecord: () => Promise.reject(new Error('disk full')) };
    const manager = manage({ pullRecords: halfBroken });
    expect(await outcome(manager.ensureImageExists(wish('a')))).toEqual({ imageRef: 'sha256:a:latest' });
    expect(await memory.listIntents()).toEqual([{ image: 'a' }]);
    expect(await outcome(manager.ensureImageExists(wish('a', { pullPolicy: 'Never' })))).toMatchObject({ code: 'ErrImageNeverPull' });
  });

  it('start fails if the runtime does not respond, and can be repeated', async () => {
    const images = { ...runtime.images, listImages: () => Promise.reject(new Error('down')) };
    const manager = manage({ images });
    await expect(manager.start()).rejects.toThrow('down');
    images.listImages = runtime.images.listImages as typeof images.listImages;
    await manager.start();
  });
});
