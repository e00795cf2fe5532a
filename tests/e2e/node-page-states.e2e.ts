import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTab, provideChromium, type Tab } from '../support/chromium.js';
import { openCrowd } from '../support/node-page/crowd.js';
import { openScene, type Scene } from '../support/node-page/scene.js';
import { axeFindings, overflowing, setView, widths } from '../support/page-checks.js';
import { until } from '../support/until.js';

const chromium = provideChromium();
/** Where the screenshots of the documentation go. Default: they are not written. */
const shots = process.env.NODEAGENT_SCREENSHOTS;
const maxShotBytes = 60_000;

interface Shot {
  name: string;
  link?: string;
  /** Run in the page before. */
  script?: string;
  phone?: boolean;
  dark?: boolean;
}

const openAll = `document.querySelectorAll('details details, .details details').forEach((each) => { each.open = true; })`;
const states: readonly Shot[] = [
  { name: 'pods' },
  { name: 'pods-phone', phone: true },
  { name: 'pods-dark', dark: true },
  { name: 'pod', link: '#pod=shop/checkout&filter=checkout' },
  { name: 'pod-phone-dark', link: '#pod=shop/cart&filter=cart', phone: true, dark: true },
  { name: 'logs', link: '#pod=shop/cart&filter=cart', script: openAll },
  {
    name: 'node',
    link: '#node=open',
    script: `document.querySelectorAll('#node-details details').forEach((each) => { each.open = true; })`,
  },
  {
    name: 'terminal',
    link: '#pod=shop/checkout&filter=checkout',
    script: `document.querySelector('[aria-label=Terminals] button').click()`,
  },
  { name: 'problems', link: '#show=problems&only=unhealthy', script: `document.querySelectorAll('.head')[1].click()` },
];
/** The line of health is cut by an ellipsis. */
const cut = '.health-line';

/** In the page: mean frames a second and the longest of 120 frames, in milliseconds. */
const measureFrames = `new Promise((done) => {
  const times = [];
  const frame = (time) => {
    times.push(time);
    if (times.length < 120) return requestAnimationFrame(frame);
    const gaps = times.slice(1).map((each, index) => each - times[index]);
    done({ perSecond: 1000 * gaps.length / (times.at(-1) - times[0]), longest: Math.max(...gaps) });
  };
  requestAnimationFrame(frame);
})`;

if (chromium === undefined) console.log('skipped: the states of the node page, because Chromium is not installed');

describe.skipIf(chromium === undefined)('the states of the node page', () => {
  let scene: Scene;
  let tab: Tab;

  beforeAll(async () => {
    [scene, tab] = await Promise.all([openScene(), openTab(chromium ?? '')]);
    await scene.clock.advance(600_000);
  });
  afterAll(async () => {
    await tab?.close();
    await scene?.close();
  });

  const inPage = <T>(expression: string) => tab.evaluate<T>(expression);
  const textOf = (selector: string) => inPage<string>(`document.querySelector('${selector}')?.innerText ?? ''`);
  /** Opens the page with this state in its address. */
  const open = async (link = '') => {
    await tab.call('Page.navigate', { url: 'about:blank' });
    await tab.call('Page.navigate', { url: `${scene.origin}/ui/${link}` });
    await until('the page to follow', async () => (await textOf('#connection')) === 'live');
    await until('the pods', async () => (await inPage<number>(`document.querySelectorAll('tr.pod').length`)) > 0);
    await until('the timeline', async () => (await inPage<number>(`document.querySelectorAll('.episode').length`)) > 0);
  };
  const typeText = async (text: string) => {
    for (const key of text) await tab.press(key === '\r' ? 'Enter' : key);
  };
  /** Opens the page with a terminal of its first pod. */
  const openTerminal = async () => {
    await open('#pod=shop/checkout&filter=checkout');
    await until(
      'the button',
      async () => (await inPage<number>(`document.querySelectorAll('[aria-label=Terminals] button').length`)) === 1,
    );
    await inPage(`document.querySelector('[aria-label=Terminals] button').click()`);
    await until('the prompt', async () => (await textOf('.output')).includes('/srv $'));
  };
  it('shows pods first, below one line of health, at every width and without overflow', async () => {
    await open('#pod=shop/recommendations');
    for (const width of widths) {
      await setView(tab, width, 844);
      expect(await overflowing(tab, cut), `at ${width}`).toEqual([]);
      const [health, pods] = await inPage<number[]>(
        `[document.querySelector('#node').offsetHeight, document.querySelector('#pods').getBoundingClientRect().top + scrollY]`,
      );
      expect(health, `one line at ${width}`).toBeLessThan(45);
      expect(pods, `above the pods at ${width}`).toBeLessThan(270);
    }
    await inPage(`document.querySelector('#node').open = true; document.querySelectorAll('.head').forEach((head) => head.click())`);
    for (const width of widths) {
      await setView(tab, width, 844);
      expect(await overflowing(tab, cut), `unfolded at ${width}`).toEqual([]);
    }
  });

  it('shows a crash once, an image error on one line, and no UID', async () => {
    await setView(tab, 1280, 800);
    await open('#show=problems');
    const problems = await inPage<string[]>(
      `[...document.querySelectorAll('.head')].map((head) => head.innerText.replaceAll(/\\s+/g, ' '))`,
    );
    expect(problems.map((text) => text.replace(/^[\d:]+ /, '')).sort()).toEqual([
      expect.stringMatching(/^cart Error: container crash exited with 3 \(Error\) ×\d+$/),
      expect.stringMatching(/^payments-worker-with-a-long-name Warning: Unhealthy: Readiness probe failed: .*connection refused/),
      expect.stringMatching(/^recommendations Error: Failed: registry\.example\.com\S+: not found ×\d+$/),
    ]);
    await inPage(`document.querySelectorAll('.head').forEach((head) => head.click())`);
    expect(await textOf('main')).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it('opens what a link names, and is worked by keyboard: slash, arrows, Enter and Escape', async () => {
    await setView(tab, 1280, 800);
    await open('#pod=shop/cart');
    expect(await textOf('tr.details')).toContain('Next sync');
    const focused = () => inPage<string>(`document.activeElement.innerText || document.activeElement.id`);
    expect(await focused()).toContain('cart');
    await tab.press('Escape');
    expect(await textOf('tr.details')).toBe('');
    expect(await inPage('location.hash')).toBe('');
    await tab.press('ArrowDown');
    expect(await focused()).toContain('recommendations');
    await tab.press('Enter');
    expect(await inPage('location.hash')).toBe('#pod=shop/recommendations');
    await tab.press('/');
    expect(await focused()).toBe('pods-filter');
    await tab.press('x');
    expect(await textOf('#pods-none')).toBe('No pod matches.');
    await tab.press('Escape');
    expect(await textOf('#pods-count')).toBe('8');
  });

  it('has no findings of axe-core, dark and on a phone', async () => {
    await open('#pod=shop/cart');
    await inPage(`document.querySelector('#node').open = true; document.querySelector('.head').click(); ${openAll}`);
    await until('the logs', async () => (await textOf('.log')).includes('panic: no route'));
    await inPage(openAll);
    await setView(tab, 1280, 800, true);
    expect(await axeFindings(tab)).toEqual([]);
    await setView(tab, 390, 844);
    expect(await axeFindings(tab)).toEqual([]);
    expect(tab.errors).toEqual([]);
  });

  it('shows the devices of plugins with their containers, and an unhealthy one as a failure of the node', async () => {
    const podUID = scene.agent.pods().find(({ pod }) => pod.metadata?.name === 'search')?.pod.metadata?.uid ?? '';
    const device = (id: string, health: string) => ({ id, health, numaNodes: [], canBeAllocated: false });
    scene.devices = {
      resources: [
        {
          resource: 'example.com/gpu',
          isConnected: true,
          devices: [device('gpu-0', 'Healthy'), device('gpu-1', 'Unhealthy'), device('gpu-2', 'Healthy')],
        },
      ],
      containers: [{ podUID, containerName: 'index', resource: 'example.com/gpu', devices: { [-1]: ['gpu-0'] } }],
    };
    const driver = { endpoint: '/plugins/nic.sock', service: 'v1.DRAPlugin', isConnected: true };
    const port = {
      poolName: 'n1',
      deviceName: 'port-0',
      requestNames: [],
      cdiDeviceIDs: [],
      health: 'Unhealthy' as const,
      message: 'no link',
    };
    const claim = { claimName: 'uplink', claimUID: 'c1', namespace: 'shop', podUIDs: [podUID], isPrepared: true };
    scene.dynamicResources = {
      drivers: [{ driver: 'nic.example.com', ...driver }],
      claims: [{ ...claim, drivers: { 'nic.example.com': [port] } }],
      pendingDeletions: [],
    };
    await open('#node=open');
    await until('the devices', async () => (await textOf('#node-details')).includes('Devices and claims'));
    await inPage(openAll);
    const shown = await textOf('#node-details');
    expect(shown).toContain('example.com/gpu unhealthy 1 of 3 devices in use, 1 unhealthy');
    expect(shown).toContain('gpu-0 used by index of shop/search');
    expect(shown).toContain('gpu-1 unhealthy not in use');
    expect(shown).toContain('DRA driver nic.example.com connected');
    expect(shown).toContain('ResourceClaim uplink of shop/search unhealthy port-0 of pool n1 (nic.example.com), unhealthy: no link');
    expect(shown).not.toContain('gpu-2');
    await until('the verdict', async () => (await textOf('.health-line')).includes('Devices: gpu-1 of example.com/gpu is unhealthy'));
    for (const width of widths) {
      await setView(tab, width, 844);
      expect(await overflowing(tab, cut), `at ${width}`).toEqual([]);
    }
    expect(await axeFindings(tab)).toEqual([]);
    scene.devices = undefined;
    scene.dynamicResources = undefined;
  });

  it('has a terminal that takes all keys, is left by Shift+Tab, and passed by Tab', async () => {
    await setView(tab, 1280, 800);
    await openTerminal();
    const focused = () => inPage<string>(`document.activeElement.innerText || document.activeElement.tagName`);
    await typeText('stty sizes');
    await tab.press('Backspace');
    await tab.press('Enter');
    await until('the size', async () => /stty size *\n\d\d \d\d+\n/.test(await textOf('.output')));
    await typeText('seq 3000\r');
    await until('the end', async () => (await textOf('.output')).includes('3000\n/srv $'));
    expect(await inPage<number>(`document.querySelectorAll('.output > div').length`)).toBe(2_000);
    expect(await inPage<number>(`document.querySelector('.output').scrollTop`)).toBeGreaterThan(1_000);
    await typeText('/x');
    await tab.press('Escape');
    expect(await focused(), 'the page has no key').toBe('TEXTAREA');

    await tab.press('Tab', ['Shift']);
    expect(await focused()).toBe('Type');
    await tab.press('Tab');
    expect(await focused()).toBe('Close');
    await tab.press('Tab');
    await tab.press('Tab');
    expect(await focused()).toContain('Logs');
    await inPage(`document.querySelector('.terminal button').click()`);
    await tab.press('c', ['Ctrl']);
    await typeText('exit 3\r');
    await until('the exit code', async () => (await textOf('.terminal [role=status]')) === 'exited with 3');
    expect(await inPage(`document.activeElement.className`)).toBe('output');
    expect(tab.errors).toEqual([]);
  });

  it('has a terminal without findings of axe-core and without overflow', async () => {
    await openTerminal();
    await typeText('ls\r');
    await until('the files', async () => (await textOf('.output')).includes('server.log'));
    for (const width of widths) {
      await setView(tab, width, 844, width === 390);
      expect(await overflowing(tab, cut), `at ${width}`).toEqual([]);
    }
    await setView(tab, 390, 844, true);
    expect(await axeFindings(tab)).toEqual([]);
    await setView(tab, 1280, 800);
    expect(await axeFindings(tab)).toEqual([]);
    expect(tab.errors).toEqual([]);
  });

  it('has no terminal for a viewer who may not run commands', async () => {
    scene.exec = false;
    await open('#pod=shop/checkout&filter=checkout');
    await until('the logs', async () => (await inPage<number>(`document.querySelectorAll('[role=log]').length`)) === 1);
    expect(await inPage(`document.querySelector('[aria-label=Terminals]').checkVisibility()`)).toBe(false);
    scene.exec = true;
  });

  it('has nine states that fit their screens, with an hour of usage', async () => {
    await open();
    await scene.clock.advance(120_000);
    for (const { name, link = '', script = '', phone = false, dark = false } of states) {
      await setView(tab, phone ? 390 : 1280, phone ? 844 : 800, dark);
      await open(link);
      if (link.includes('pod='))
        await until('the charts', async () => (await inPage<number>(`document.querySelectorAll('.details .chart').length`)) > 1);
      await inPage(script);
      if (name === 'logs') await until('the logs', async () => (await textOf('.log')).includes('panic: no route'));
      if (name === 'terminal') {
        await until('the prompt', async () => (await textOf('.output')).includes('/srv $'));
        for (const line of ['ls', 'df -h /cache']) await typeText(`${line}\r`);
        await until('the answer', async () => (await textOf('.output')).includes('243.6M'));
        await inPage(`document.querySelector('.terminal').scrollIntoView({ block: 'end' })`);
      }
      if (name === 'node') await until('the images', async () => (await textOf('#node-details')).includes('in use'));
      expect(await overflowing(tab, cut), name).toEqual([]);
      if (shots === undefined) continue;
      const { data } = await tab.call<{ data: string }>('Page.captureScreenshot', {
        format: 'webp',
        quality: 45,
      });
      mkdirSync(shots, { recursive: true });
      writeFileSync(join(shots, `${name}.webp`), Buffer.from(data, 'base64'));
      expect(data.length * 0.75, `${name} in bytes`).toBeLessThan(maxShotBytes);
    }
    expect(tab.errors).toEqual([]);
  });
});

describe.skipIf(chromium === undefined)('the node page of 250 pods and 5,000 entries', () => {
  it('has few elements and little memory while pods crash', async () => {
    const [crowd, tab] = await Promise.all([openCrowd(), openTab(chromium ?? '')]);
    try {
      await tab.call('Page.navigate', { url: `${crowd.origin}/ui/` });
      const count = (selector: string) => tab.evaluate<number>(`document.querySelectorAll('${selector}').length`);
      await until('the pods', async () => (await count('tr.pod')) === 250);
      await until('the timeline', async () => (await count('.episode')) === 50);
      await until('the stream', async () => (await tab.evaluate<string>(`document.querySelector('#connection').innerText`)) === 'live');
      const before = await tab.cpuSeconds();
      const frames = tab.evaluate<{ perSecond: number; longest: number }>(measureFrames);
      for (let round = 0; round < 10; round += 1) {
        await crowd.crash(Array.from({ length: 10 }, (_, index) => round * 10 + index));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await until('the last crash', async () =>
        (await tab.evaluate<string>(`document.querySelector('.episode .head').innerText`)).includes('worker-99'),
      );
      // Reported, not asserted: the machine runs other suites beside this one.
      const { perSecond, longest } = await frames;
      const cpu = (await tab.cpuSeconds()) - before;
      console.log(
        `250 pods, 5,000 entries: ${Math.round(perSecond)} frames/s, longest ${Math.round(longest)} ms, ${cpu.toFixed(2)} s of CPU`,
      );
      expect(await count('.episode')).toBe(50);
      expect(await count('*')).toBeLessThan(6_000);
      expect(await tab.evaluate<number>('performance.memory.usedJSHeapSize')).toBeLessThan(60e6);
      expect(tab.errors).toEqual([]);
    } finally {
      await tab.close();
      crowd.close();
    }
  });
});
