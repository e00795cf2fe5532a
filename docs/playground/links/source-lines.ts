import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Topic, topics } from './topics.js';

/** The line of each topic's function, from 1. Throws for one that its file does not declare, so that no link of the site is stale. */
export function sourceLines(root: string): Record<Topic, number> {
  const entries = Object.entries(topics).map(([topic, { file, name }]) => {
    const declaration = new RegExp(`^export (async )?(function|const|class) ${name}\\b`);
    const index = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .findIndex((line) => declaration.test(line));
    if (index < 0) throw new Error(`docs/playground/links/topics.ts: ${file} does not export ${name}`);
    return [topic, index + 1];
  });
  return Object.fromEntries(entries);
}

/** The address of each topic's function in the repository. */
export function sourceLinks(root: string): Record<Topic, string> {
  const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { homepage: string };
  const links = Object.entries(sourceLines(root)).map(([topic, line]) => [
    topic,
    `${homepage}/blob/main/${topics[topic as Topic].file}#L${line}`,
  ]);
  return Object.fromEntries(links);
}
