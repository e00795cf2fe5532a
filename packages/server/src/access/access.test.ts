import { generateKeyPairSync } from 'node:crypto';
import { Agent } from 'node:https';
import { NodeAgentError } from '@nodeagent/api';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { issueCertificate } from '@nodeagent/x509/node';
import { afterEach, describe, expect, it } from 'vitest';
import { createReviews, createTestServers } from '../test-server.js';

const authority = createTestAuthority();
const { admin, ask, serve, serving, stopAll } = createTestServers({ authority, createClock: createVirtualClock });
afterEach(stopAll);

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const alice = { username: 'alice', groups: ['dev'], uid: 'u1', extra: { scope: ['a'] } };

describe('authentication', () => {
  it('accepts a certificate of the CA, with its common name as user and its organizations as groups', async () => {
    const reviews = createReviews({});
    const { port } = await serve({}, { authorization: reviews.authorization });
    expect(await ask(port, '/pods', { client: admin })).toMatchObject({ status: 200 });
    expect(reviews.asked.access).toEqual([
      {
        user: 'admin',
        groups: ['system:masters', 'ops', 'system:authenticated'],
        resourceAttributes: { verb: 'get', version: 'v1', resource: 'nodes', subresource: 'pods', name: 'n1' },
      },
    ]);
  });

  it('refuses a certificate of another CA, an expired one and one for servers', async () => {
    const { port } = await serve({}, { authentication: { anonymous: true } });
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const subject = { commonName: 'admin' };
    const selfSigned = issueCertificate({ subject, publicKey, issuer: { subject, privateKey }, notBefore: 0, notAfter: Date.UTC(2049) });
    for (const client of [createTestAuthority().issueClient(subject), { cert: selfSigned, key }, serving]) {
      expect(await ask(port, '/pods', { client })).toMatchObject({ status: 401, body: 'Unauthorized', headers: { connection: 'close' } });
    }
    expect((await ask(port, '/pods')).status).toBe(200);
  });

  it('refuses a certificate once it has expired, also on an open connection', async () => {
    const { port, clock } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await ask(port, '/pods', { client: admin, agent })).status).toBe(200);
    await clock.advance(25 * 366 * 24 * 3_600_000);
    expect((await ask(port, '/pods', { client: admin, agent })).status).toBe(401);
    agent.destroy();
  });

  it('requires a new connection after the CA changed', async () => {
    const other = createTestAuthority();
    let material = { ...serving, clientCA: authority.cert };
    const { port } = await serve({}, { tls: () => material });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await ask(port, '/pods', { client: admin, agent })).status).toBe(200);
    material = { ...serving, clientCA: other.cert };
    await ask(port, '/pods', { client: admin, agent }).catch(() => undefined);
    expect((await ask(port, '/pods', { client: admin, agent })).status).toBe(401);
    expect((await ask(port, '/pods', { client: other.issueClient({ commonName: 'root' }) })).status).toBe(200);
    agent.destroy();
  });

  it('accepts a token, and caches its review for two minutes', async () => {
    const reviews = createReviews({ good: alice });
    const { port, clock } = await serve({}, { authentication: reviews.authentication, authorization: reviews.authorization });
    for (let times = 0; times < 3; times++) expect((await ask(port, '/pods', bearer('good'))).status).toBe(200);
    expect(await ask(port, '/pods', bearer('bad'))).toMatchObject({ status: 401, body: 'Unauthorized' });
    expect((await ask(port, '/pods', bearer('bad'))).status).toBe(401);
    expect(reviews.asked.tokens).toEqual(['good', 'bad']);
    expect(reviews.asked.access).toMatchObject([
      { user: 'alice', uid: 'u1', groups: ['dev', 'system:authenticated'], extra: { scope: ['a'] } },
    ]);
    await clock.advance(120_001);
    await ask(port, '/pods', bearer('good'));
    expect(reviews.asked.tokens).toEqual(['good', 'bad', 'good']);
  });

  it('does not let a reader of the node enter its pods, neither by GET', async () => {
    const reviews = createReviews({ reader: alice }, ({ resourceAttributes }) => resourceAttributes?.verb === 'get');
    const { port } = await serve({}, { authentication: reviews.authentication, authorization: reviews.authorization });
    expect((await ask(port, '/pods', bearer('reader'))).status).toBe(200);
    for (const path of ['/exec/ns/pod/c?command=id&output=1', '/attach/ns/pod/c?output=1', '/portForward/ns/pod']) {
      expect(await ask(port, path, bearer('reader')), path).toMatchObject({
        status: 403,
        body: 'Forbidden (user=alice, verb=create, resource=nodes, subresource(s)=[proxy])\n',
      });
    }
  });

  it('reports to a user interface which requests its viewer may make', async () => {
    const reviews = createReviews({ reader: alice }, ({ resourceAttributes }) => resourceAttributes?.verb === 'get');
    const { port } = await serve(
      {
        logs: { read: async function* () {} },
        ui: (_request, response, { isAllowed }) => {
          const paths = ['/containerLogs/ns/pod/c', '/exec/ns/pod/c', '/attach/ns/pod/c', '/nowhere'];
          void Promise.all(paths.map((path) => isAllowed('GET', path))).then((allowed) => response.end(allowed.join()));
        },
      },
      { authentication: reviews.authentication, authorization: reviews.authorization },
    );
    expect(await ask(port, '/ui/', bearer('reader'))).toMatchObject({ body: 'true,false,false,false' });
  });

  it('accepts a token in a WebSocket subprotocol', async () => {
    const reviews = createReviews({ good: alice });
    const { port } = await serve({}, { authentication: reviews.authentication });
    const protocol = `v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${Buffer.from('good').toString('base64url')}`;
    expect((await ask(port, '/pods', { headers: { 'sec-websocket-protocol': protocol } })).status).toBe(200);
  });

  it('allows anonymous requests only if configured, and only without a credential', async () => {
    const reviews = createReviews({});
    const { port } = await serve(
      {},
      { authentication: { ...reviews.authentication, anonymous: true }, authorization: reviews.authorization },
    );
    expect((await ask(port, '/healthz')).status).toBe(200);
    expect(reviews.asked.access[0]).toMatchObject({ user: 'system:anonymous', groups: ['system:unauthenticated'] });
    expect((await ask(port, '/healthz', bearer('bad'))).status).toBe(401);
    const closed = await serve();
    expect((await ask(closed.port, '/healthz')).status).toBe(401);
  });

  it('retries a review after a retryable failure, and refuses the request if the API server stays unavailable', async () => {
    const reviews = createReviews({ good: alice });
    const { port, clock } = await serve({}, { authentication: reviews.authentication });
    reviews.fail(new NodeAgentError('ApiUnreachable', 'away', { retryable: true }));
    const answer = ask(port, '/pods', bearer('good'));
    const untilAsked = async (times: number) => {
      while (reviews.asked.tokens.length < times) await new Promise((resolve) => setImmediate(resolve));
    };
    await untilAsked(1);
    for (let times = 2; times <= 5; times++) {
      await clock.advance(3_000);
      await untilAsked(times);
    }
    expect((await answer).status).toBe(401);
    expect(reviews.asked.tokens).toHaveLength(5);
    reviews.fail(undefined);
    expect((await ask(port, '/pods', bearer('good'))).status).toBe(200);
  });

  it('refuses to start a server without any authentication method', async () => {
    await expect(serve({}, { tls: () => serving })).rejects.toMatchObject({
      code: 'InvalidOption',
      message: 'no authentication method configured',
      details: { field: 'https.authentication' },
    });
  });
});

describe('authorization', () => {
  it('sends a review for each subresource in turn, and refuses with the kubelet’s message', async () => {
    const reviews = createReviews({ good: alice }, ({ resourceAttributes }) => resourceAttributes?.subresource === 'proxy');
    const { port, clock } = await serve({}, { authentication: reviews.authentication, authorization: reviews.authorization });
    const asked = () => reviews.asked.access.splice(0).map(({ resourceAttributes }) => resourceAttributes?.subresource);
    expect((await ask(port, '/pods', bearer('good'))).status).toBe(200);
    expect(asked()).toEqual(['pods', 'proxy']);
    expect(await ask(port, '/stats/summary', bearer('good'))).toMatchObject({
      status: 403,
      body: 'Forbidden (user=alice, verb=get, resource=nodes, subresource(s)=[stats])\n',
    });
    expect(asked()).toEqual(['stats']);
    await ask(port, '/pods', bearer('good'));
    await ask(port, '/stats/summary', bearer('good'));
    expect(asked()).toEqual([]);
    await clock.advance(30_001);
    await ask(port, '/pods', bearer('good'));
    expect(asked()).toEqual(['pods']);
    await clock.advance(270_000);
    await ask(port, '/pods', bearer('good'));
    expect(asked()).toEqual(['pods', 'proxy']);
  });

  it('fails while the API server fails', async () => {
    const reviews = createReviews({});
    const { port } = await serve({}, { authorization: reviews.authorization });
    reviews.fail(new Error('no'));
    expect(await ask(port, '/pods', { client: admin })).toMatchObject({
      status: 500,
      body: 'Authorization error (user=admin, verb=get, resource=nodes, subresource=pods)',
    });
  });

  it('precedes the decoding of the path', async () => {
    const reviews = createReviews({}, () => false);
    const { port } = await serve({}, { authorization: reviews.authorization });
    for (const path of ['/%ff', '/%', '/pods/%zz', '/pods%ff?x=%ff']) {
      expect(await ask(port, path), path).toMatchObject({ status: 401, body: 'Unauthorized' });
      expect((await ask(port, path, { client: admin })).status, path).toBe(403);
    }
    const open = await serve();
    expect(await ask(open.port, '/%ff')).toMatchObject({ status: 401, body: 'Unauthorized' });
    expect((await ask(open.port, '/%ff', { client: admin })).status).toBe(400);
  });

  it('precedes the check whether the path exists', async () => {
    const reviews = createReviews({}, () => false);
    const { port } = await serve({}, { authorization: reviews.authorization });
    expect((await ask(port, '/nothing', { client: admin })).status).toBe(403);
    expect((await ask(port, '/%70ods', { client: admin })).body).toContain('[pods proxy]');
  });
});
