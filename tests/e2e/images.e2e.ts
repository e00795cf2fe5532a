import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type OciImageStore, openImageStore, type RegistryConfigPaths } from '@nodeagent/image-store';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DockerRegistry,
  type DockerRegistryOptions,
  provideImageTools,
  skopeo,
  startDockerRegistry,
} from '../support/images/docker-registry.js';
import { createImageLayout } from '../support/images/image-layout.js';
import { tarLayer } from '../support/images/tar-layer.js';
import { startTokenServer } from '../support/images/token-server.js';

const required = process.env.NODEAGENT_E2E === 'required';
const isSkipped = !provideImageTools(required && process.getuid?.() === 0) && !required;
if (isSkipped) console.log("skipped: images of a registry, because they need Debian's docker-registry, skopeo, umoci, zstd and attr");

/** A line of `htpasswd -B` for the user `robot` with the password `secret`. */
const htpasswd = 'robot:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n';
const credentials = { username: 'robot', password: 'secret' };

const layer = (name: string, bytes = 200_000) => tarLayer([{ name, content: randomBytes(bytes) }]);
const shared = layer('shared');

describe.skipIf(isSkipped)('images of a docker-registry', () => {
  let work: string;
  let layout: ReturnType<typeof createImageLayout>;
  let plain: DockerRegistry;
  let store: OciImageStore;
  const started: { stop(): Promise<void> }[] = [];
  const digests: Record<string, string> = {};
  const file = (name: string) => join(work, name);
  const content = () => file('registry');

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-images-'));
    layout = createImageLayout(file('layout'));
    digests.app = layout.add('app', {
      layers: [{ tar: shared }, { tar: layer('zstd'), compression: 'zstd' }, { tar: layer('plain'), compression: 'none' }],
    });
    layout.add('docker', { layers: [{ tar: shared }, { tar: layer('docker') }] });
    digests.multi = layout.addIndex('multi', [{ layers: [{ tar: layer('arm') }], architecture: 'arm64' }, { layers: [{ tar: shared }] }]);
    plain = await startDockerRegistry(content());
    for (const tag of Object.keys(digests)) push(layout.folder, tag, '--all', '--preserve-digests');
    push(layout.folder, 'docker', '--format', 'v2s2');
  });
  afterAll(async () => {
    await plain?.stop();
    rmSync(work, { recursive: true, force: true });
  });
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    await store.close();
    for (const each of started.splice(0)) await each.stop();
    for (const name of readdirSync(work).filter((name) => name.startsWith('store-') || name.startsWith('certs-')))
      rmSync(file(name), { recursive: true });
  });

  const push = (folder: string, tag: string, ...options: string[]) =>
    skopeo('copy', ...options, '--dest-tls-verify=false', `oci:${folder}:${tag}`, `docker://${plain.host}/team/${tag}:1`);
  const open = (registries: RegistryConfigPaths = {}) =>
    openImageStore({ root: mkdtempSync(file('store-')), machine: { os: 'linux', architecture: 'amd64' }, registries });
  /** The store with a `hosts.toml` for each registry. */
  async function openWith(hosts: Record<string, string>): Promise<void> {
    await store.close();
    const hostsDirectory = mkdtempSync(file('certs-'));
    for (const [host, text] of Object.entries(hosts)) {
      mkdirSync(join(hostsDirectory, host));
      writeFileSync(join(hostsDirectory, host, 'hosts.toml'), text);
    }
    store = await open({ hostsDirectory });
  }
  async function start(options: DockerRegistryOptions): Promise<string> {
    const registry = await startDockerRegistry(content(), options);
    started.push(registry);
    return registry.host;
  }
  const sha256Of = (path: string) => `sha256:${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
  /** Pulls, and verifies all content of the store. */
  async function expectPull(image: string, options = {}): Promise<void> {
    const { target, config, layers } = await store.pull(image, options);
    for (const { digest } of [target, config, ...layers]) expect(sha256Of(store.blobPath(digest))).toBe(digest);
  }

  it('are pulled by tag and digest, of OCI and of Docker, with layers of three compressions, and a second time without a download', async () => {
    const app = await store.pull(`${plain.host}/team/app:1`);
    expect([app.target.digest, app.repoTags]).toEqual([digests.app, [`${plain.host}/team/app:1`]]);
    expect(app.layers.map(({ mediaType }) => mediaType.split('.').at(-1))).toEqual(['tar+gzip', 'tar+zstd', 'tar']);
    expect(await store.pull(`${plain.host}/team/app@${digests.app}`)).toEqual(app);
    const docker = await store.pull(`${plain.host}/team/docker:1`);
    expect(docker.target.mediaType).toBe('application/vnd.docker.distribution.manifest.v2+json');
    expect(docker.layers[0]?.digest).toBe(app.layers[0]?.digest);
    const before = plain.requests().length;
    await expectPull(`${plain.host}/team/app:1`);
    const [again, ...more] = plain.requests().slice(before);
    expect([again, more]).toEqual(['GET /v2/team/app/manifests/1', []]);
  });

  it('are chosen from an index by the platform', async () => {
    const pulled = await store.pull(`${plain.host}/team/multi:1`);
    expect(pulled).toMatchObject({
      target: { digest: digests.multi },
      platform: { architecture: 'amd64' },
      layers: [{ size: expect.any(Number) }],
    });
    const arm = await openImageStore({ root: mkdtempSync(file('store-')), machine: { os: 'linux', architecture: 'arm64' } });
    expect((await arm.pull(`${plain.host}/team/multi:1`)).platform.architecture).toBe('arm64');
    await arm.close();
  });

  it('that umoci built are pulled', async () => {
    const umoci = (...args: string[]) => expect(spawnSync('umoci', args, { encoding: 'utf8' })).toMatchObject({ status: 0 });
    const folder = file('umoci');
    umoci('init', '--layout', folder);
    umoci('new', '--image', `${folder}:built`);
    mkdirSync(file('added'));
    for (const name of ['first', 'second']) {
      writeFileSync(file(`added/${name}`), name);
      umoci('insert', '--rootless', '--image', `${folder}:built`, file(`added/${name}`), `/${name}`);
    }
    push(folder, 'built', '--format', 'v2s2');
    expect((await store.pull(`${plain.host}/team/built:1`)).layers).toHaveLength(2);
  });

  it('are pulled over TLS by the private authority of hosts.toml, and not without it', async () => {
    const { host } = await startTls();
    await openWith({ 'registry.test': `server = "https://${host}"\nca = "${file('ca.crt')}"` });
    await expectPull('registry.test/team/app:1');
    await openWith({ 'registry.test': `server = "https://${host}"` });
    await expect(store.pull('registry.test/team/app:1')).rejects.toThrow(/self.signed|unable to (get|verify)/);
  });

  it('are pulled by the locations and insecure mirrors of registries.conf', async () => {
    const { host } = await startTls();
    const registriesConf = file('registries.conf');
    writeFileSync(
      registriesConf,
      `[[registry]]\nprefix = "example.com/apps"\nlocation = "${host}/team"\ninsecure = true\n[[registry.mirror]]\nlocation = "${plain.host}/mirror"\ninsecure = true\n`,
    );
    await store.close();
    store = await open({ registriesConf });
    await expectPull('example.com/apps/app:1');
    expect(plain.requests().some((request) => request.includes('/v2/mirror/app/manifests/1'))).toBe(true);
  });

  it('are pulled with the certificate of a client, and not without it', async () => {
    const { host } = await startTls({ clientcas: [file('ca.crt')] });
    const server = `server = "https://${host}"\nca = "${file('ca.crt')}"\n`;
    await openWith({
      'with.test': `${server}client = [["${file('client.crt')}", "${file('client.key')}"]]`,
      'without.test': server,
    });
    await expectPull('with.test/team/app:1');
    // No second attempt: it would be refused, too.
    await expect(store.pull('without.test/team/docker:1')).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_SSL_.*CERTIFICATE/) });
  });

  it('are pulled with a password', async () => {
    writeFileSync(file('htpasswd'), htpasswd);
    const host = await start({ auth: { htpasswd: { realm: 'test', path: file('htpasswd') } } });
    for (const wrong of [undefined, { username: 'robot', password: 'wrong' }])
      await expect(store.pull(`${host}/team/app:1`, { credentials: wrong })).rejects.toMatchObject({ code: 'Unauthorized' });
    await expectPull(`${host}/team/app:1`, { credentials });
  });

  it('are pulled with one token for all of an image', async () => {
    const authority = writeCertificates();
    const tokens = await startTokenServer({ ...authority.issueServer(['token.test']), file: file('ca.crt') }, 'robot', 'secret');
    started.push(tokens);
    const host = await start({ auth: tokens.auth });
    await expect(store.pull(`${host}/team/app:1`)).rejects.toMatchObject({ code: 'Unauthorized' });
    await expectPull(`${host}/team/app:1`, { credentials });
    expect(tokens.scopes).toEqual(['repository:team/app:pull']);
  });

  it('are pulled from the next mirror where one does not have them, or does not answer', async () => {
    const empty = await startDockerRegistry(file('empty'));
    started.push(empty);
    await openWith({
      'fall.back': `server = "http://${plain.host}"\n[host."http://127.0.0.1:9"]\n[host."http://${empty.host}"]\n`,
    });
    await expectPull('fall.back/team/app:1');
    expect(empty.requests().length).toBeGreaterThan(0);
    await openWith({ 'only.mirror': `server = "http://127.0.0.1:9"\n[host."http://${plain.host}"]\n` });
    await expectPull('only.mirror/team/app:1');
  });

  it('are imported from what skopeo writes, and skopeo reads what is exported', async () => {
    const source = `docker://${plain.host}/team/docker:1`;
    skopeo('copy', '--src-tls-verify=false', source, `docker-archive:${file('docker.tar')}:example.com/saved:1`);
    skopeo('copy', '--src-tls-verify=false', source, `oci-archive:${file('oci.tar')}:example.com/oci:1`);
    const pulled = await store.pull(`${plain.host}/team/docker:1`);
    for (const [archive, name] of [
      ['docker.tar', 'example.com/saved:1'],
      ['oci.tar', 'example.com/oci:1'],
    ] as const) {
      const [imported] = await store.import(createReadStream(file(archive)));
      expect(imported).toMatchObject({ repoTags: [name], diffIds: pulled.diffIds });
    }
    await pipeline(store.export(['example.com/oci:1']), createWriteStream(file('export.tar')));
    for (const format of ['docker-archive', 'oci-archive']) {
      const copy = `oci-archive:${file(`${format}-copy.tar`)}:example.com/copy:1`;
      skopeo('copy', '--preserve-digests', `${format}:${file('export.tar')}`, copy);
      const [imported] = await store.import(createReadStream(file(`${format}-copy.tar`)));
      expect(imported?.diffIds).toEqual(pulled.diffIds);
    }
  });

  function writeCertificates() {
    const authority = createTestAuthority();
    writeFileSync(file('ca.crt'), authority.cert);
    for (const [name, { cert, key }] of [
      ['server', authority.issueServer(['127.0.0.1', 'localhost'])],
      ['client', authority.issueClient({ commonName: 'client' })],
    ] as const) {
      writeFileSync(file(`${name}.crt`), cert);
      writeFileSync(file(`${name}.key`), key);
    }
    return authority;
  }
  async function startTls(more: { clientcas?: string[] } = {}): Promise<{ host: string }> {
    writeCertificates();
    return { host: await start({ tls: { certificate: file('server.crt'), key: file('server.key'), ...more } }) };
  }
});
