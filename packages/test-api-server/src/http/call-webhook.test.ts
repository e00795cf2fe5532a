import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { configuration, setUpWebhooks, validating, webhook } from '../admission/webhooks/webhooks.fixture.js';
import type { TestApiServerOptions } from '../options.js';
import { setUp } from '../test-api-server.fixture.js';
import { createTestAuthority } from './certificates.js';
import { machineNetwork } from './machine-network.js';

const authority = createTestAuthority();
const caBundle = btoa(authority.cert);
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const allow: RequestListener = (request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const { uid } = JSON.parse(Buffer.concat(pieces).toString()).request;
    response.end(JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid, allowed: true } }));
  });
};

/** A webhook server on this machine; returns its port. */
function serve(
  answer: RequestListener,
  hosts = ['hooks.default.svc', '127.0.0.1'],
  certificate = authority.issueServer(hosts),
): Promise<number> {
  const server = createServer(certificate, answer);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

/** The answer to the creation of a ConfigMap that the webhook checks. */
async function creation(clientConfig: object, port?: number, options: TestApiServerOptions = {}) {
  const { call } = setUp({ network: machineNetwork, ...options });
  if (port !== undefined) {
    await call('POST', '/api/v1/namespaces/default/services', { metadata: { name: 'hooks' }, spec: { ports: [{ port: 443 }] } });
    await call('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'hooks-1', labels: { 'kubernetes.io/service-name': 'hooks' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.1'] }],
      ports: [{ name: '', port }],
    });
  }
  await call('POST', validating, configuration('hooks', webhook('a', { clientConfig })));
  const { status, body } = await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' } });
  return status === 201 ? 'created' : (body.message as string);
}

const service = { namespace: 'default', name: 'hooks', path: '/a' };
const failed = (url: string, why: string) =>
  `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "${url}?timeout=10s": ${why}`;
const ofService = 'https://hooks.default.svc:443/a';

describe('a webhook on this machine', () => {
  it('is called by its service, whose name its certificate has', async () => {
    expect(await creation({ service, caBundle }, await serve(allow))).toBe('created');
    const other = await serve(allow, ['other.default.svc']);
    expect(await creation({ service, caBundle }, other)).toBe(
      failed(ofService, 'tls: failed to verify certificate: x509: certificate is not valid for hooks.default.svc'),
    );
  });

  it('is called at the URL of its service, whose name its certificate has', async () => {
    const port = await serve(allow, ['hooks.default.svc']);
    const create = async (name: string) => {
      const serviceUrls = (_: string, service: string) => (service === name ? `https://127.0.0.1:${port}` : undefined);
      return creation({ service: { ...service, name }, caBundle }, undefined, { serviceUrls });
    };
    expect(await create('hooks')).toBe('created');
    expect(await create('others')).toContain('x509: certificate is not valid for others.default.svc');
  });

  it('needs no CA in its configuration with a certificate of the server', async () => {
    const { server, register, create } = setUpWebhooks({}, { network: machineNetwork, webhooks: () => undefined, serviceUrls: () => url });
    const own = createServer(server.issueServerCertificate(['hooks.default.svc']), allow);
    closing.push(() => own.close());
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(own.address() as AddressInfo).port}`;
    await register(validating, webhook('a'));
    expect((await create()).status).toBe(201);
  });

  it('is called by its URL', async () => {
    const port = await serve(allow);
    expect(await creation({ url: `https://127.0.0.1:${port}/a`, caBundle })).toBe('created');
  });

  it('is called as envtest registers it: with its own certificate, and two slashes', async () => {
    const certificate = authority.issueServer(['127.0.0.1']);
    const port = await serve(
      (request, response) => (request.url === '/a?timeout=10s' ? allow(request, response) : response.destroy()),
      [],
      certificate,
    );
    expect(await creation({ url: `https://127.0.0.1:${port}//a/`, caBundle: btoa(certificate.cert) })).toBe('created');
  });

  it('must have a certificate of the CA in its configuration', async () => {
    const port = await serve(allow);
    const why = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    expect(await creation({ service, caBundle: btoa(createTestAuthority().cert) }, port)).toBe(failed(ofService, why));
    expect(await creation({ service }, port)).toBe(failed(ofService, why));
  });

  it('must exist', async () => {
    expect(await creation({ service, caBundle })).toBe(failed(ofService, 'service "hooks" not found'));
    expect(await creation({ url: 'https://127.0.0.1:1/a', caBundle })).toBe(
      failed('https://127.0.0.1:1/a', 'dial tcp 127.0.0.1:1: connect: connection refused'),
    );
  });

  it('must not answer without end', async () => {
    const port = await serve((_request, response) => {
      const piece = 'x'.repeat(64 * 1024);
      const write = (): void => void (response.destroyed || (response.write(piece) ? setImmediate(write) : response.once('drain', write)));
      write();
    });
    expect(await creation({ service, caBundle }, port)).toBe(failed(ofService, 'the answer is larger than 3145728 bytes'));
  });

  it('must not hang up', async () => {
    const port = await serve((request) => request.socket.destroy());
    expect(await creation({ service, caBundle }, port)).toBe(failed(ofService, 'EOF'));
  });
});
