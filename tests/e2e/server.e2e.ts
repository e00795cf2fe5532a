import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { createCertificateFiles, ensureSelfSignedCertificate } from '@nodeagent/certificate-manager';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createCriClient } from '@nodeagent/cri-client';
import { createInProcessTransport, createKubeClient } from '@nodeagent/kube-client';
import { createMetricsRegistry, createTlsSource } from '@nodeagent/server';
import { createTestApiServer, type KeyedCertificate } from '@nodeagent/test-api-server';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { buildPod, createManualSource } from '@nodeagent/testing';
import { beforeAll, expect, it } from 'vitest';
import { cleanUpAfterAll, endPods } from '../support/cleanup.js';
import { parsePrometheusText } from '../support/prometheus-text.js';
import { removeFolder } from '../support/remove-folder.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

/** 100 lines each tenth of a second for about ten seconds: some rotations. */
const lines = 9_000;
const script = `i=0; while [ $i -lt ${lines} ]; do echo "line $i of the log that is rotated"; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep 0.1; done; sleep 1000`;

describeOnRuntimes('the HTTP API', ['2'], (testRuntime) => {
  const source = createManualSource([], { name: 'api' });
  const authority = createTestAuthority();
  const admin = authority.issueClient({ commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] });
  const api = createTestApiServer({
    tokens: { 'reader-token': { username: 'reader', groups: [] } },
    authorizer: ({ user, verb, resource, subresource, name }) => {
      const isMaster = user.groups?.includes('system:masters') === true;
      const reads = verb === 'get' && resource === 'nodes' && name === 'e2e' && ['stats', 'metrics'].includes(subresource ?? '');
      return { allowed: isMaster || (user.username === 'reader' && reads) || user.username === 'node' };
    },
    anonymous: { username: 'node', groups: [] },
  });
  let runtime: PrivateRuntime;
  let work: string;
  let cri: ReturnType<typeof createCriClient>;
  let agent: NodeAgent;
  let client: ReturnType<typeof createKubeClient>;

  interface Asked {
    as?: KeyedCertificate;
    token?: string;
    method?: string;
    isEnough?: (text: string) => boolean;
  }

  const ask = (path: string, { as, token, method = 'GET', isEnough = () => false }: Asked = {}) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const where = { host: '127.0.0.1', port: agent.serverPorts()?.https, path, method, headers };
      const asked = request({ ...where, ...as, rejectUnauthorized: false, agent: false });
      asked.on('error', reject);
      asked.on('response', async (response) => {
        let body = '';
        for await (const piece of response.setEncoding('utf8')) {
          body += piece;
          if (isEnough(body)) break;
        }
        resolve({ status: response.statusCode, body });
      });
      asked.end();
    });
  const requested = async (path: string) => {
    const { status, body } = await ask(path, { as: admin });
    expect(status, `${path}: ${body.slice(0, 200)}`).toBe(200);
    return body;
  };

  beforeAll(async () => {
    runtime = await testRuntime.start();
    work = mkdtempSync(join(tmpdir(), 'nodeagent-server-'));
    cri = createCriClient({ endpoint: runtime.endpoint });
    client = createKubeClient({ cluster: { server: 'https://api.test' }, transport: createInProcessTransport(api) });
    const clientCAFile = join(work, 'ca.crt');
    writeFileSync(clientCAFile, authority.cert);
    const files = await ensureSelfSignedCertificate({ directory: join(work, 'pki'), hosts: ['e2e', '127.0.0.1'], clock: systemClock });
    const registry = createMetricsRegistry();
    agent = createNodeAgent({
      nodeName: 'e2e',
      sources: [source],
      cri,
      rootDir: join(work, 'root'),
      podLogsDir: join(work, 'logs'),
      settings: { containerLogMaxSize: '64Ki', containerLogMonitorIntervalMs: 3_000 },
      metrics: registry,
      server: {
        https: {
          address: '127.0.0.1',
          port: 0,
          tls: createTlsSource({ certificate: createCertificateFiles(files).current, clientCAFile, clock: systemClock }),
          authentication: { tokenReviews: client.tokenReviews },
          authorization: { mode: 'Webhook', subjectAccessReviews: client.subjectAccessReviews },
        },
        registry,
      },
    });
    await agent.start();
    await agent.ready;
    const container = (name: string, text: string) => ({
      name,
      image: testImage,
      imagePullPolicy: 'IfNotPresent' as const,
      command: ['sh', '-c', text],
    });
    const containers = [container('c', script), container('few', 'for i in 1 2 3; do echo "line $i"; done; sleep 1000')];
    source.set([buildPod({ name: 'talks', terminationGracePeriodSeconds: 0, containers })]);
  });

  cleanUpAfterAll({
    'the pods': () => agent && endPods(agent),
    'the agent': () => agent?.stop(),
    'the client': () => client?.closeConnections(),
    'the API server': () => api.close(),
    'the CRI client': () => cri?.close(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => removeFolder(work),
  });

  it('follows a log across its rotations without losing a line', async () => {
    const path = '/containerLogs/default/talks/c';
    await until('the container to run', async () => (await ask(path, { as: admin })).status === 200);
    const isEnough = (text: string) => text.includes(`line ${lines - 1} of the log that is rotated\n`);
    const { body } = await ask(`${path}?follow=true`, { as: admin, isEnough });
    const seen = Array.from(body.matchAll(/^line (\d+) of the log that is rotated$/gm), ([, number]) => Number(number));
    expect(seen).toEqual(Array.from({ length: lines }, (_, line) => line));
    const [podFolder = ''] = readdirSync(join(work, 'logs'));
    expect(readdirSync(join(work, 'logs', podFolder, 'c')).length).toBeGreaterThan(1);
  });

  it('serves the requested part of a log, and the reason if there is no log', async () => {
    const path = '/containerLogs/default/talks/few';
    await until('the last line', async () => (await requested(`${path}?tailLines=1`)) === 'line 3\n');
    expect(await requested(`${path}?tailLines=2&timestamps=true`)).toMatch(/^\d{4}-[\d:T.-]+\S* line 2\n\d{4}\S+ line 3\n$/);
    expect(await requested(`${path}?tailLines=1&limitBytes=4`)).toBe('line');
    expect(await requested(`${path}?sinceTime=2100-01-01T00:00:00Z`)).toBe('');
    expect(await ask(`${path}?previous=true`, { as: admin })).toEqual({
      status: 400,
      body: 'previous terminated container "few" in pod "talks" not found',
    });
    expect(await ask('/containerLogs/default/talks/other', { as: admin })).toMatchObject({ status: 404 });
  });

  it('serves pods, stats and metrics that a scraper can parse', async () => {
    const pods = JSON.parse(await requested('/pods'));
    expect(pods).toMatchObject({ kind: 'PodList', apiVersion: 'v1', items: [{ metadata: { name: 'talks' } }] });
    expect(JSON.parse(await requested('/runningpods/')).items).toMatchObject([
      { metadata: { name: 'talks' }, spec: { containers: expect.arrayContaining([expect.objectContaining({ name: 'c' })]) } },
    ]);
    const summary = JSON.parse(await requested('/stats/summary'));
    expect(summary).toMatchObject({ node: { nodeName: 'e2e' }, pods: [{ podRef: { name: 'talks', namespace: 'default' } }] });
    expect(summary.pods[0].containers[0].memory.workingSetBytes).toBeGreaterThan(0);
    const agentMetrics = parsePrometheusText(await requested('/metrics'));
    const agentValue = (name: string) => agentMetrics.find((sample) => sample.name === name)?.value;
    expect(agentValue('kubelet_started_pods_total')).toBe(1);
    expect(agentValue('kubelet_runtime_operations_total')).toBeGreaterThan(0);
    const containers = parsePrometheusText(await requested('/metrics/cadvisor'));
    expect(
      containers.find(({ name, labels }) => name === 'container_memory_working_set_bytes' && labels.container === 'c')?.value,
    ).toBeGreaterThan(0);
    const resources = parsePrometheusText(await requested('/metrics/resource'));
    expect(resources.find(({ name }) => name === 'resource_scrape_error')?.value).toBe(0);
    expect(resources.some(({ name, labels }) => name === 'container_cpu_usage_seconds_total' && labels.pod === 'talks')).toBe(true);
    parsePrometheusText(await requested('/metrics/probes'));
    expect(await requested('/healthz')).toBe('ok');
    const health = parsePrometheusText(await requested('/metrics/slis'));
    expect(health.find(({ name, labels }) => name === 'kubernetes_healthcheck' && labels.name === 'syncloop')?.value).toBe(1);
    expect(await ask('/run/default/talks/c?cmd=echo%20hello', { as: admin, method: 'POST' })).toEqual({ status: 200, body: 'hello\n' });
  });

  it('lets in whom the CA or the API server vouches for, to what they may do', async () => {
    const unauthorized = { status: 401, body: 'Unauthorized' };
    expect(await ask('/pods')).toEqual(unauthorized);
    expect(await ask('/pods', { token: 'wrong' })).toEqual(unauthorized);
    expect(
      await ask('/pods', { as: createTestAuthority().issueClient({ commonName: 'admin', organizations: ['system:masters'] }) }),
    ).toEqual(unauthorized);
    await client.serviceAccounts.create({ metadata: { name: 'other', namespace: 'default' } });
    const { status } = await client.serviceAccounts.createToken(
      { namespace: 'default', name: 'other' },
      { spec: { audiences: ['elsewhere'] } },
    );
    expect(await ask('/metrics', { token: status?.token ?? '' })).toEqual(unauthorized);
    expect((await ask('/metrics', { token: 'reader-token' })).status).toBe(200);
    expect(await ask('/pods', { token: 'reader-token' })).toEqual({
      status: 403,
      body: 'Forbidden (user=reader, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    });
    expect(await ask('/run/default/talks/c?cmd=id', { token: 'reader-token', method: 'POST' })).toMatchObject({ status: 403 });
  });
});
