import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The colours of one scheme by name. */
function coloursOf(css: string): Map<string, string> {
  return new Map([...css.matchAll(/--([a-z-]{2,}): (#[0-9a-f]{6});/g)].map(([, name = '', colour = '']) => [name, colour]));
}

/** Web Content Accessibility Guidelines 2.2: relative luminance and contrast ratio. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const css = readFileSync(new URL('../page/page.css', import.meta.url), 'utf8');
const [lightCss = '', darkCss = ''] = css.split('prefers-color-scheme: dark');
const light = coloursOf(lightCss);
const dark = new Map([...light, ...coloursOf(darkCss)]);
const texts = ['text', 'muted', 'accent', 'ok', 'warn', 'bad'].flatMap((text) => ['page', 'panel'].map((back) => [text, back]));
const chips = [
  ['ok', 'ok-back'],
  ['warn', 'warn-back'],
  ['bad', 'bad-back'],
  ['accent', 'busy-back'],
  ['muted', 'done-back'],
  ['text', 'bad-back'],
  ['text', 'warn-back'],
];

it.each([
  ['light', light],
  ['dark', dark],
])('every text has a contrast of at least 4.5 in the %s scheme', (_, colours) => {
  const low = [...texts, ...chips].filter(([text = '', back = '']) => contrast(colours.get(text) ?? '', colours.get(back) ?? '') < 4.5);
  expect(colours.size).toBe(15);
  expect(low).toEqual([]);
});

it('every colour of a terminal has a contrast of at least 4.5, as text and as the ground of dark text', () => {
  const colours = [...css.matchAll(/--f: (#[0-9a-f]{6});/g)].map(([, colour = '']) => colour);
  expect(colours.length).toBe(16);
  expect(colours.filter((colour) => contrast(colour, '#101317') < 4.5)).toEqual([]);
});
