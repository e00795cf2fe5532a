/**
 * What users can import from a package: `@nodeagent/NAME` is src/index.ts, `@nodeagent/NAME/SUBPATH` is src/SUBPATH.ts. The `exports` of
 * package.json name them, `npm run sync-packages` writes those, and the build, the tests and the smoke test read them.
 */
export function entriesOf(manifest) {
  return Object.keys(manifest.exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => {
      const name = subpath === '.' ? 'index' : subpath.slice('./'.length);
      return { name, source: `src/${name}.ts`, id: name === 'index' ? manifest.name : `${manifest.name}/${name}` };
    });
}
