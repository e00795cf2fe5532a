// biome-ignore-all lint/suspicious/noTemplateCurlyInString: GitHub's expressions look like templates
import { expect, it } from 'vitest';
import { yamlProblems } from './workflows.mjs';

const sha = '0123456789abcdef0123456789abcdef01234567';
const good = `on: push
permissions:
  contents: read
concurrency: ci
jobs:
  check:
    timeout-minutes: 5
    strategy:
      matrix:
        script: [lint, unit]
        include: [{ script: types }]
    container:
      image: node:20@sha256:${sha}${sha.slice(0, 24)}
    steps:
      - uses: actions/checkout@${sha} # v5.0.0
        with:
          persist-credentials: false
      - run: npm run \${{ matrix.script }} && npm test
`;
const scripts = ['lint', 'unit', 'types', 'test'];
const problems = (text: string, path = '.github/workflows/ci.yml') => yamlProblems(path, text, scripts);

it('accepts a workflow that is pinned, limited and runs scripts that exist', () => {
  expect(problems(good)).toEqual([]);
});

it.each([
  [
    'a reference to a tag',
    `actions/checkout@${sha} # v5.0.0`,
    'actions/checkout@v5 # v5.0.0',
    15,
    'is not pinned to a commit of 40 hexadecimal digits',
  ],
  ['a shortened commit', `checkout@${sha}`, `checkout@${sha.slice(0, 12)}`, 15, 'is not pinned to a commit of 40 hexadecimal digits'],
  ['no version beside the commit', ' # v5.0.0', '', 15, 'has no comment with its version, such as "# v1.2.3"'],
  ['an image without a digest', /@sha256:\w+/, '', 13, 'the image "node:20" has no sha256 digest'],
  ['a script that does not exist', 'npm test', 'npm run tests', 18, 'package.json has no script "tests"'],
  ['a script of the matrix that does not exist', '[lint, unit]', '[lint, units]', 18, 'package.json has no script "units"'],
  ['text of an event in a command', 'npm test', 'echo ${{ github.head_ref }}', 18, 'expression that is not of the matrix'],
  ['no permissions', /permissions:\n.*\n/, '', 1, 'a workflow has permissions'],
  ['all permissions', 'contents: read', 'contents: write', 3, 'a workflow has permissions'],
  ['no concurrency group', /concurrency.*\n/, '', 1, 'a workflow has a concurrency group'],
  ['no time limit', /.*timeout.*\n/, '', 6, 'the job "check" has no timeout-minutes'],
  ['a token left in the checkout', /.*with:\n.*\n/, '', 15, 'persist-credentials: false'],
  ['no YAML', 'on: push', 'on: [push', 2, 'Flow sequence'],
] as const)('refuses %s', (_, from, to, line, problem) => {
  const found = problems(good.replace(from, to));
  expect(found[0]).toContain(problem);
  expect(found[0]).toMatch(new RegExp(`^\\.github/workflows/ci\\.yml:${line}: `));
});

it('parses the other files of .github', () => {
  expect(problems('name: [', '.github/ISSUE_TEMPLATE/bug.yml')).toHaveLength(1);
  expect(problems('name: bug', '.github/ISSUE_TEMPLATE/bug.yml')).toEqual([]);
});
