import { describe, expect, it } from 'vitest';
import { repositoryUrl } from '../lib/repository.mjs';
import { readmeLinkProblems, withAbsoluteLinks } from './readme-links.mjs';

describe('readme-links', () => {
  it('makes relative links absolute, with their headings', () => {
    const text = 'See [core](../core#options), [docs](../../docs/packages.md), [here](#here) and [CRI](https://example.org/cri).';
    expect(withAbsoluteLinks('packages/api', text)).toBe(
      `See [core](${repositoryUrl}/tree/main/packages/core#options), [docs](${repositoryUrl}/blob/main/docs/packages.md), [here](#here) and [CRI](https://example.org/cri).`,
    );
  });

  it('reports relative links, and links into the repository to what does not exist', () => {
    const text = [
      '[relative](../core)',
      `[fine](${repositoryUrl}/tree/main/packages/core#options)`,
      `[no file](${repositoryUrl}/blob/main/docs/missing.md)`,
      `[no heading](${repositoryUrl}/tree/main/packages/core#missing)`,
      `[a folder](${repositoryUrl}/blob/main/packages/core)`,
      '[elsewhere](https://example.org/missing.md)',
    ].join('\n');
    expect(readmeLinkProblems('README.md', text).map((problem) => problem.split(':')[1])).toEqual(['1', '3', '4', '5']);
  });
});
