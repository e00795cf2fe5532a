// check.cjs import|require NAME...: calls each installed package or subpath (`stats/decisions`) once, got the one way or the other.
const calls = require('./calls.cjs');

const [way, ...names] = process.argv.slice(2);

async function check(name) {
  const call = calls[name];
  if (call === undefined) return `no call for ${name} in scripts/smoke/calls.cjs`;
  const id = `@nodeagent/${name}`;
  const loaded = way === 'require' ? require(id) : await import(id);
  const [actual, expected] = await call(loaded);
  if (JSON.stringify(actual) === JSON.stringify(expected)) return undefined;
  return `a call by ${way} gives ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
}

(async () => {
  let failed = 0;
  for (const name of names) {
    const problem = await check(name).catch((error) => `by ${way}: ${error.stack ?? error}`);
    if (problem === undefined) continue;
    failed++;
    console.log(`packages/${name}: ${problem}`);
  }
  process.exit(failed > 0 ? 1 : 0);
})();
