import { describe, expect, it } from 'vitest';
import { exampleOf } from './lib/readme.mjs';

const readme = (...blocks: [language: string, text: string][]) =>
  ['# Title', ...blocks.map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\``)].join('\n\n');

describe('exampleOf', () => {
  it('takes the first ts block and the text block after it', () => {
    const markdown = readme(
      ['', 'npm install x'],
      ['text', 'before'],
      ['ts', 'console.log(1)'],
      ['text', '1'],
      ['ts', 'other()'],
      ['text', '2'],
    );
    expect(exampleOf(markdown)).toEqual({ code: 'console.log(1)\n', output: '1\n' });
  });

  it('names what is missing', () => {
    expect(exampleOf(readme(['', 'npm install x'])).problem).toMatch(/no ```ts block/);
    expect(exampleOf(readme(['text', '1'], ['ts', 'f()'])).problem).toMatch(/no ```text block/);
  });

  it('takes an empty output', () => {
    expect(exampleOf('```ts\nf();\n```\n\n```text\n```\n')).toEqual({ code: 'f();\n', output: '' });
  });
});
