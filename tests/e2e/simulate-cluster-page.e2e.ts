import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, startCommand } from '../support/agent/agent-process.js';
import { openTab, provideChromium, type Tab } from '../support/chromium.js';
import { axeFindings, overflowing, setView, widths } from '../support/page-checks.js';
import { removeFolder } from '../support/remove-folder.js';
import { until } from '../support/until.js';

const chromium = provideChromium();
/** Where the screenshots of the documentation go. Default: they are not written. */
const shots = process.env.NODEAGENT_SCREENSHOTS;
/** Names and entries that an ellipsis cuts. */
const cut = '.fleet-tile, .head';

/** The cluster at its start: a healthy deployment, a pod that crashes, and one that no node can run. */
const setup = `
const container = (env) => ({ name: 'main', image: 'shop:1', env });
const pod = (name, spec) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop' }, spec });
export function setup(cluster) {
  cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container()] } };
  const spec = { replicas: Number(process.env.REPLICAS ?? 9), selector: { matchLabels: { app: 'web' } }, template };
  cluster.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' }, spec });
  const crash = [{ name: 'SIMULATE_EXIT_AFTER', value: '2' }, { name: 'SIMULATE_EXIT_CODE', value: '3' }];
  cluster.apply(pod('payments-worker-with-a-long-name-that-crashes', { containers: [container(crash)] }));
  cluster.apply(pod('big', { containers: [{ ...container(), resources: { requests: { memory: '1Ti' } } }] }));
}
`;

/** The status of the answer to a request with these headers. */
const statusOf = (url: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

/** The command with its page, until the folder is removed. */
async function startCluster(work: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  writeFileSync(join(work, 'setup.mjs'), setup);
  const files = ['--setup', join(work, 'setup.mjs'), '--kubeconfig', join(work, 'config')];
  const cluster = startCommand(['simulate-cluster', '--ui', ...files, ...args], { env: { ...process.env, ...env } });
  const { msg } = await cluster.line('the page', (line) => line.msg.includes('page of the cluster: '));
  return { cluster, url: msg.replace(/^.*: /, '') };
}

if (chromium === undefined) console.log('skipped: the page of a simulated cluster, because Chromium is not installed');

describe.skipIf(chromium === undefined)('the page of a simulated cluster', () => {
  let work: string;
  let cluster: AgentProcess;
  let url: string;
  let tab: Tab;
  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-cluster-page-'));
    [{ cluster, url }, tab] = await Promise.all([startCluster(work, ['--nodes', '3']), openTab(chromium ?? '')]);
  });
  afterAll(async () => {
    await tab?.close();
    expect(await cluster?.end('SIGTERM')).toBe(0);
    removeFolder(work);
  });

  const inPage = <T>(expression: string) => tab.evaluate<T>(expression);
  const textOf = (selector: string) => inPage<string>(`document.querySelector('${selector}')?.innerText ?? ''`);
  const count = (selector: string) => inPage<number>(`document.querySelectorAll('${selector}').length`);
  const open = async (link = '') => {
    await tab.call('Page.navigate', { url: 'about:blank' });
    await tab.call('Page.navigate', { url: `${url}${link}` });
    await until('the page to follow', async () => (await textOf('#connection')) === 'live');
  };

  it('shows nodes with their pods, the unhealthy ones by words, and follows', async () => {
    await open();
    await until('the pods', async () => (await count('.fleet-tile')) === 11);
    expect(await inPage<string[]>(`[...document.querySelectorAll('.fleet-node h3')].map((each) => each.innerText).sort()`)).toEqual(
      expect.arrayContaining(['node-1 Ready', 'node-2 Ready', 'node-3 Ready']),
    );
    await until('the deployment', async () => (await textOf('.fleet-workloads')) === 'Deployment shop/web 9/9');
    const bad = () => inPage<string>(`[...document.querySelectorAll('.fleet-tile[data-level=bad]')].map((each) => each.innerText).join()`);
    await until('the crash', async () => /crashes\s+(CrashLoopBackOff|Error), \d+ restart/.test(await bad()));
    await until('the pod without a node', async () => /big\s+Pending/.test(await bad()));
    expect(await textOf('#verdict')).toMatch(/of 11 pods needs? attention/);
    expect(await textOf('.fleet-count')).toMatch(/^3 nodes, 9 of 11 pods ready$/);
  });

  it('shows the crash as one entry of the timeline, which unfolds', async () => {
    await until('the crash', async () => /exited with 3 \(Error\)/.test(await textOf('#entries')));
    const crashes = `[...document.querySelectorAll('.head')].filter((head) => /exited with 3/.test(head.innerText))`;
    expect(await inPage<number>(`${crashes}.length`)).toBe(1);
    await inPage(`${crashes}[0].click()`);
    expect(await textOf('.unfolded')).toMatch(/BackOff/);
  });

  it('finds a pod, and opens it to its containers, conditions and events, by keyboard', async () => {
    await open();
    await until('the pods', async () => (await count('.fleet-tile')) === 11);
    await tab.press('/');
    for (const key of 'crashes') await tab.press(key);
    expect(await count('.fleet-tile:not([hidden])')).toBe(1);
    await tab.press('ArrowDown');
    await tab.press('Enter');
    await until('the details', async () => /exited with 3 \(Error\)/.test(await textOf('.fleet-details')));
    const details = await textOf('.fleet-details');
    expect(details).toMatch(
      /Containers[\s\S]*main \(shop:1\): [\s\S]*Conditions[\s\S]*Ready False ContainersNotReady[\s\S]*Events[\s\S]*BackOff/,
    );
    expect(details).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect(decodeURIComponent(await inPage('location.hash'))).toContain('pod=shop/payments-worker');
    await tab.press('Escape');
    expect(await textOf('.fleet-details:not([hidden])')).toBe('');
    await open('#pod=shop/big');
    await until('the linked pod', async () => /no node|Insufficient memory/i.test(await textOf('.fleet-details')));
  });

  it('fits every width, and has no findings of axe-core, light and dark', async () => {
    await open('#pod=shop/payments-worker-with-a-long-name-that-crashes&show=all');
    await until('the details', async () => /Containers/.test(await textOf('.fleet-details')));
    await inPage(`document.querySelectorAll('.head').forEach((head) => head.click())`);
    for (const width of widths) {
      await setView(tab, width, 844);
      expect(await overflowing(tab, cut), `at ${width}`).toEqual([]);
    }
    await setView(tab, 1280, 800);
    expect(await axeFindings(tab)).toEqual([]);
    await setView(tab, 390, 844, true);
    expect(await axeFindings(tab)).toEqual([]);
    expect(tab.errors).toEqual([]);
  });

  it('refuses requests that other websites cause, and asks no other host', async () => {
    const { host } = new URL(url);
    expect(await statusOf(`${url}state`, { host })).toBe(200);
    expect(await statusOf(`${url}state`, { host: 'rebound.example' })).toBe(403);
    expect(await statusOf(`${url}state`, { origin: 'http://evil.example' })).toBe(403);
    expect(await statusOf(`${url}events`, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(tab.requests.filter((each) => !each.startsWith(url) && !each.startsWith('about:'))).toEqual([]);
  });

  it('has the screenshots of the documentation', async () => {
    for (const [name, width, height, dark] of [
      ['cluster', 1280, 800, false],
      ['cluster-phone-dark', 390, 844, true],
    ] as const) {
      await setView(tab, width, height, dark);
      await open('#pod=shop/payments-worker-with-a-long-name-that-crashes');
      await until('the details', async () => /Containers/.test(await textOf('.fleet-details')));
      if (shots === undefined) continue;
      const { data } = await tab.call<{ data: string }>('Page.captureScreenshot', { format: 'webp', quality: 45 });
      mkdirSync(shots, { recursive: true });
      writeFileSync(join(shots, `${name}.webp`), Buffer.from(data, 'base64'));
    }
  });
});
