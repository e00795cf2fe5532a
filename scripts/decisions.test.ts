import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = 'docs/decisions';
const records = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));

it('lists every decision record with its title in the README', () => {
  const rows = records.map((name) => {
    const number = name.slice(0, 4);
    const title = readFileSync(`${folder}/${name}`, 'utf8').replace(/^# (\d+)\. ([^\n]+)\n[\s\S]*$/, (_, own, text) => {
      expect(own, name).toBe(String(Number(number)));
      return text;
    });
    return `| ${number} | [${title}](${name}) |`;
  });
  expect(readFileSync(`${folder}/README.md`, 'utf8').trimEnd().split('\n').slice(-rows.length)).toEqual(rows);
});
