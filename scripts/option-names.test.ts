import { expect, it } from 'vitest';
import { optionFactories } from './lint/option-names.mjs';

interface Factory {
  id: string;
  file: string;
  name: string;
  index: number;
  groups: string[];
}

/** Options with an unknown one in the group at `path`: `https.authorization` or `nodes[]`; at the top if the path is empty. */
const unknownAt = (path: string): object =>
  path
    .split('.')
    .filter((name) => name !== '')
    .reduceRight<object>((value, name) => (name.endsWith('[]') ? { [name.slice(0, -2)]: [value] } : { [name]: value }), {
      colour: undefined,
    });

const factories: Factory[] = optionFactories();
const cases = factories.flatMap((factory) => ['', ...factory.groups].map((path) => [factory.id, factory.name, path, factory] as const));

it('finds the factories of all packages', () => {
  expect(factories.length).toBeGreaterThan(100);
  expect(factories.find(({ name }) => name === 'createNodeServer')?.groups).toEqual(
    expect.arrayContaining(['https', 'https.authorization', 'readOnly', 'settings']),
  );
  expect(factories.find(({ name }) => name === 'createTestCluster')?.groups).toEqual(
    expect.arrayContaining(['nodes[]', 'faults.api[].match']),
  );
});

it.each(cases)('%s: %s rejects an unknown option in "%s"', async (_id, name, path, { file, index }) => {
  const { [name]: factory } = (await import(file)) as Record<string, (...args: unknown[]) => unknown>;
  const field = `${path && `${path.replaceAll('[]', '[0]')}.`}colour`;
  const call = async () => factory?.(...Array.from({ length: index }), unknownAt(path));
  await expect(call()).rejects.toMatchObject({
    code: 'InvalidOption',
    message: expect.stringMatching(new RegExp(`^${name}: unknown option "${field.replace(/[[\].]/g, '\\$&')}"`)),
    details: { field },
  });
});
