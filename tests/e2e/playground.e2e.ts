import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writePermalink } from '../../docs/playground/permalink.js';
import type { PlaygroundState } from '../../docs/playground/state.js';
import { timeText } from '../../docs/playground/view/time-text.js';
import { openTab, provideChromium, type Tab } from '../support/chromium.js';
import { serveSite } from '../support/static-site.js';
import { until } from '../support/until.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The built site. */
const site = process.env.NODEAGENT_SITE ?? join(root, 'docs', '.vitepress', 'dist');
const chromium = provideChromium();
const isBuilt = existsSync(join(site, 'playground', 'index.html'));
if (!isBuilt) console.log('skipped: the playground, because the site is not built: npm run docs:build');
if (isBuilt && process.env.NODEAGENT_E2E === 'required' && chromium === undefined) throw new Error('Chromium is not installed');

/** Of the page's thread, for a frame in the middle of others: what 60 frames a second leave. Their rate on a loaded machine is the machine's; it is printed. */
const frameMs = 1000 / 60;
/** What a slow machine takes longer. */
const frameSlack = 2.5;
/** Processor time counts two threads, and is three times that of a fast machine on a slow one, half as much again beside other suites. */
const cpuSlack = 8;
/** Where the screenshots of the documentation go. Default: they are not written. */
const shots = process.env.NODEAGENT_SCREENSHOTS;

/** Of the worker's code, gzipped: the cluster (430 KiB), YAML and the session. */
const maxWorkerBytes = 474 * 1024;

const empty: PlaygroundState = { manifests: '', seed: 1, nodes: 1, periods: 'kubelet', actions: [] };

const deployment = (name: string, replicas: number) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "web:1" }] }
`;
const deployments = (count: number, replicas: number) =>
  Array.from({ length: count }, (_, index) => deployment(`web-${index}`, replicas)).join('---\n');

const spinning = `apiVersion: playground/v1
kind: Image
metadata: { name: "spin:1" }
program: |
  async ({ sleep }) => {
    await sleep(1000);
    for (;;);
  }
---
apiVersion: v1
kind: Pod
metadata: { name: spinning }
spec:
  containers: [{ name: main, image: "spin:1" }]
`;

/** In the page: mean frames a second and the longest of 300 frames, in milliseconds. */
const measureFrames = `new Promise((done) => {
  const times = [];
  const frame = (time) => {
    times.push(time);
    if (times.length < 300) return requestAnimationFrame(frame);
    const gaps = times.slice(1).map((each, index) => each - times[index]);
    done({ perSecond: 1000 * gaps.length / (times.at(-1) - times[0]), longest: Math.max(...gaps), frames: gaps.length });
  };
  requestAnimationFrame(frame);
})`;

describe.skipIf(chromium === undefined || !isBuilt)('the playground in a browser', () => {
  let tab: Tab;
  let server: Awaited<ReturnType<typeof serveSite>>;

  beforeAll(async () => {
    server = await serveSite(site);
    tab = await openTab(chromium ?? '');
    await resize(1280, 800);
  });
  afterAll(async () => {
    await tab?.close();
    await server?.close();
  });

  const resize = (width: number, height: number) =>
    tab.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });
  const inPage = <T>(expression: string) => tab.evaluate<T>(expression);
  const textOf = (selector: string) => inPage<string>(`document.querySelector('${selector}')?.innerText ?? ''`);
  const count = (selector: string) => inPage<number>(`document.querySelectorAll('${selector}').length`);
  const click = (text: string) =>
    inPage(`[...document.querySelectorAll('.pg button')].find((each) => each.textContent === '${text}').click()`);
  const choose = (selector: string, value: string | number) =>
    inPage(`(() => {
      const field = document.querySelector('${selector}');
      field.value = '${value}';
      field.dispatchEvent(new Event('change'));
    })()`);
  const now = () => inPage<number>(`Number(document.querySelector('.pg-range input').value)`);
  /** Waits in the page, which takes a frame, not a round trip. */
  const untilInPage = (condition: string) =>
    inPage(`new Promise((done) => {
      const ask = () => (${condition} ? done() : requestAnimationFrame(ask));
      ask();
    })`);
  const isIdle = () => inPage<boolean>(`!document.querySelector('.pg-transport').hasAttribute('aria-busy')`);
  const visit = async (fragment: string) => {
    await tab.call('Page.navigate', { url: 'about:blank' });
    await tab.call('Page.navigate', { url: `${server.origin}/playground/#${fragment}` });
    await until('the page', () => untilInPage(`document.querySelector('.pg-transport')`).then(() => true));
  };
  const open = async (state: Partial<PlaygroundState>) => visit(await writePermalink({ ...empty, ...state }));
  /** Limits the processor time of the browser: a user on a quiet machine waits for less than that. */
  const measured = async (what: string, limitSeconds: number, work: () => Promise<unknown>) => {
    const [started, used] = [performance.now(), await tab.cpuSeconds()];
    await work();
    const seconds = (await tab.cpuSeconds()) - used;
    console.log(`${what}: ${Math.round(performance.now() - started)} ms, ${seconds.toFixed(2)} s of CPU`);
    expect(seconds, what).toBeLessThan(limitSeconds * cpuSlack);
  };

  it('keeps the code of the worker within its budget, gzipped', () => {
    const files = readdirSync(join(site, 'assets')).filter((name) => /^worker-.*\.js$/.test(name));
    const bytes = files.map((name) => gzipSync(readFileSync(join(site, 'assets', name))).length);
    console.log(`the worker of the playground: ${bytes.join(', ')} bytes gzipped`);
    expect(files).toHaveLength(1);
    expect(bytes[0]).toBeLessThanOrEqual(maxWorkerBytes);
  });

  it('plays a lesson by keyboard, and axe finds nothing', async () => {
    await visit('crash-loop');
    await until('the pod', async () => (await textOf('.fleet-tile')).includes('crashing'));
    await inPage(`document.querySelector('.pg-transport .pg-primary').focus()`);
    await tab.press('Enter');
    await until('a crash loop', async () => (await textOf('.fleet-tile')).includes('CrashLoopBackOff'));
    await tab.press(' ');
    await until('the pause', async () => (await textOf('.pg-transport .pg-primary')) === 'Play');
    await inPage(`document.querySelector('.fleet-tile').focus()`);
    await tab.press('Enter');
    await until('the reason', async () => /back-off|restart/i.test(await textOf('.fleet-details')));
    const links = await inPage<string[]>(`[...document.querySelectorAll('.pg-row a')].map(({ href }) => href)`);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) expect(link).toMatch(/^https:\/\/(kubernetes\.io\/docs\/|github\.com\/.*#L\d+$)/);
    await inPage(axe.source);
    for (const isDark of [false, true]) {
      await inPage(`document.documentElement.classList.toggle('dark', ${isDark})`);
      // The navigation of the site is the theme's.
      const violations = await inPage(
        `axe.run({ exclude: ['.VPNav', '.VPSkipLink'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
      );
      expect(violations).toEqual([]);
    }
    await inPage(`document.documentElement.classList.remove('dark')`);
    expect(tab.errors).toEqual([]);
  });

  it('starts 100 nodes with 1,000 pods', async () => {
    await measured('100 nodes with 1,000 pods', 5, async () => {
      await open({ nodes: 100, periods: 'long', manifests: deployments(20, 50) });
      await untilInPage(`document.querySelectorAll('.fleet-node').length >= 100`);
      await click('Play');
      await untilInPage(`document.querySelectorAll('.fleet-tile[data-level=good]').length === 1000`);
    });
  });

  it('leaves time for 60 frames a second at 100x with 10 nodes and 100 pods, and jumps back over an hour', async () => {
    await open({ nodes: 10, manifests: deployments(10, 10) });
    await choose('.pg-transport select', 100);
    await until('the nodes', async () => (await count('.fleet-node')) >= 10);
    await click('Play');
    await until('the pods', async () => (await count('.fleet-tile[data-level=good]')) === 100);
    const used = await tab.pageThreadSeconds();
    const { perSecond, longest, frames } = await inPage<{ perSecond: number; longest: number; frames: number }>(measureFrames);
    const perFrame = (1000 * ((await tab.pageThreadSeconds()) - used)) / frames;
    console.log(
      `${perSecond.toFixed(1)} frames a second, the longest took ${longest.toFixed(1)} ms; ${perFrame.toFixed(1)} ms of the page's thread each`,
    );
    expect(perFrame).toBeGreaterThan(0);
    expect(perFrame).toBeLessThan(frameMs * frameSlack);
    await choose('.pg-transport select', 10_000);
    await until('an hour', async () => (await now()) > 7_000_000);
    await click('Pause');
    await until('the pause', async () => (await textOf('.pg-transport .pg-primary')) === 'Play');
    const target = (await now()) - 3_600_000;
    await measured('a jump back over an hour', 1, async () => {
      await choose('.pg-range input', target);
      await untilInPage(`document.querySelector('.pg-time').textContent === '${timeText(target)}'`);
    });
    await until('the replay', isIdle);
    expect(await count('.fleet-tile[data-level=good]')).toBe(100);
  });

  it('reports manifests that cannot be parsed, fields that are refused, and stays usable', async () => {
    await open({ manifests: 'apiVersion: v1\nkind: Pod\nmetadata: [\n' });
    await until('the problem', async () => /Line \d/.test(await textOf('.pg-problems')));
    await open({
      manifests: 'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec:\n  containers:\n    - name: UPPER\n      image: app:1\n',
    });
    await until('the line', async () => /Line 6: spec\.containers\[0\]\.name: Invalid value/.test(await textOf('.pg-problems')));
    await choose('#pg-lesson', 'crash-loop');
    await until('the lesson', async () => (await textOf('.fleet-tile')).includes('crashing'));
  });

  it('reports an image that does not exist as a node does', async () => {
    await visit('image-errors');
    await click('Play');
    await until('the error', async () => /ErrImagePull|ImagePullBackOff/.test(await textOf('.fleet-tile')));
  });

  it('stops a worker whose program never yields, names it, and stays usable', async () => {
    await open({ manifests: spinning });
    await until('the nodes', async () => (await count('.fleet-node')) > 0);
    await click('Play');
    await until('the message', async () => /program of spin:1 did not yield for 5 s/.test(await textOf('.pg-message')));
    await choose('#pg-lesson', 'crash-loop');
    await until('the lesson', async () => (await textOf('.fleet-tile')).includes('crashing'));
    expect(await textOf('.pg-message')).toBe('');
  });

  it('reports a damaged link and one of a newer version, and shows the first lesson', async () => {
    for (const [fragment, message] of [
      ['v1.abc', /link is damaged/],
      ['v9.abc', /newer version/],
    ] as const) {
      await visit(fragment);
      await until('the message', async () => message.test(await textOf('.pg-message')));
      await until('the lesson', async () => (await textOf('.fleet-tile')).includes('crashing'));
    }
  });

  it('shows six lessons on a desktop, in the dark and on a phone without scrolling sideways', async () => {
    if (shots !== undefined) mkdirSync(shots, { recursive: true });
    const lessons = {
      'crash-loop': 110_000,
      probes: 100_000,
      'rolling-update': 50_000,
      'node-loss': 480_000,
      eviction: 280_000,
      finalizer: 60_000,
    };
    for (const [lesson, at] of Object.entries(lessons)) {
      await resize(1280, 800);
      await visit(lesson);
      await until('the nodes', async () => (await count('.fleet-node')) > 0);
      await choose('.pg-range input', at);
      await until('the time', async () => (await now()) === at && (await isIdle()));
      for (const [name, width, height, isDark] of [
        ['light', 1280, 800, false],
        ['dark', 1280, 800, true],
        ['phone', 390, 844, false],
      ] as const) {
        await resize(width, height);
        await inPage(`document.documentElement.classList.toggle('dark', ${isDark})`);
        await inPage(`new Promise((resolve) => setTimeout(resolve, 300))`);
        expect(await inPage<number>('document.documentElement.scrollWidth'), `sideways at ${width}`).toBeLessThanOrEqual(width);
        const { data } = await tab.call<{ data: string }>('Page.captureScreenshot', { format: 'png' });
        expect(data.length, `${lesson} ${name}`).toBeGreaterThan(10_000);
        if (shots !== undefined) writeFileSync(join(shots, `${lesson}-${name}.png`), Buffer.from(data, 'base64'));
      }
    }
  });
});
