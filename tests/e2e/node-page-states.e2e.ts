import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTab, provideChromium, type Tab } from '../support/chromium.js';
import { openScene, type Scene } from '../support/node-page/scene.js';
import { until } from '../support/until.js';

const chromium = provideChromium();
const widths = [320, 390, 768, 1280, 1920];

/** In the page: elements that reach over its edge. The line of health is cut by an ellipsis. */
const overflowing = `(() => {
  const room = document.documentElement.clientWidth;
  const wide = [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility() && !each.closest('.hidden, .skip') && each.getBoundingClientRect().right > room + 1 && !each.parentElement.closest('.health-line'));
  return (document.documentElement.scrollWidth > room ? ['the document'] : []).concat(wide.map((each) => each.outerHTML.slice(0, 120)));
})()`;

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
  const setView = async (width: number, height: number, dark = false) => {
    await tab.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await tab.call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
  };
  /** Opens the page with this state in its address. */
  const open = async (link = '') => {
    await tab.call('Page.navigate', { url: 'about:blank' });
    await tab.call('Page.navigate', { url: `${scene.origin}/ui/${link}` });
    await until('the page to follow', async () => (await textOf('#connection')) === 'live');
    await until('the pods', async () => (await inPage<number>(`document.querySelectorAll('tr.pod').length`)) > 0);
    await until('the timeline', async () => (await inPage<number>(`document.querySelectorAll('.episode').length`)) > 0);
  };
  const axeFindings = async () => {
    await inPage(`${axe.source}; undefined`);
    return inPage<string[]>(
      `axe.run(document).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`,
    );
  };

  it('shows pods first, below one line of health, at every width and without overflow', async () => {
    await open('#pod=shop/recommendations');
    for (const width of widths) {
      await setView(width, 844);
      expect(await inPage<string[]>(overflowing), `at ${width}`).toEqual([]);
      const [health, pods] = await inPage<number[]>(
        `[document.querySelector('#node').offsetHeight, document.querySelector('#pods').getBoundingClientRect().top + scrollY]`,
      );
      expect(health, `one line at ${width}`).toBeLessThan(45);
      expect(pods, `above the pods at ${width}`).toBeLessThan(270);
    }
    await inPage(`document.querySelector('#node').open = true; document.querySelectorAll('.head').forEach((head) => head.click())`);
    for (const width of widths) {
      await setView(width, 844);
      expect(await inPage<string[]>(overflowing), `unfolded at ${width}`).toEqual([]);
    }
  });

  it('shows a crash once, an image error on one line, and no UID', async () => {
    await setView(1280, 800);
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
    await setView(1280, 800);
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
    await inPage(`document.querySelector('#node').open = true; document.querySelector('.head').click()`);
    await setView(1280, 800, true);
    expect(await axeFindings()).toEqual([]);
    await setView(390, 844);
    expect(await axeFindings()).toEqual([]);
    expect(tab.errors).toEqual([]);
  });
});
