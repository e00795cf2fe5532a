import axe from 'axe-core';
import type { Tab } from './chromium.js';

/** Widths at which a page must fit: phones, a tablet, and screens. */
export const widths = [320, 390, 768, 1280, 1920];

/** Sets the size of the window and the colour scheme. */
export async function setView(tab: Tab, width: number, height: number, dark = false): Promise<void> {
  await tab.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  await tab.call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
}

/** Elements that reach over the edge of the page. `cut` selects those whose content an ellipsis cuts. */
export function overflowing(tab: Tab, cut: string): Promise<string[]> {
  return tab.evaluate<string[]>(`(() => {
    const room = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility() && !each.closest('.hidden, .skip') && each.getBoundingClientRect().right > room + 1 && !each.parentElement.closest('${cut}'));
    return (document.documentElement.scrollWidth > room ? ['the document'] : []).concat(wide.map((each) => each.outerHTML.slice(0, 120)));
  })()`);
}

/** What axe-core finds in the page: rule and element. */
export async function axeFindings(tab: Tab): Promise<string[]> {
  await tab.evaluate(`${axe.source}; undefined`);
  return tab.evaluate<string[]>(
    `axe.run(document).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`,
  );
}
