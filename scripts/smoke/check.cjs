// Calls each package or subpath (`stats/decisions`) once; `modules` has what import or require gave of each. Ends the process.
const calls = require('./calls.cjs');

async function check(name, loaded) {
  const call = calls[name];
  if (call === undefined) return `no call for ${name} in scripts/smoke/calls.cjs`;
  const [actual, expected] = await call(loaded);
  if (JSON.stringify(actual) === JSON.stringify(expected)) return undefined;
  return `a call gives ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
}

module.exports = async (modules) => {
  let failed = 0;
  for (const [name, loaded] of Object.entries(modules)) {
    const problem = await check(name, loaded).catch((error) => error.stack ?? String(error));
    if (problem === undefined) continue;
    failed++;
    console.log(`packages/${name}: ${problem}`);
  }
  process.exit(failed > 0 ? 1 : 0);
};
