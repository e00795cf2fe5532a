import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { capture, mapParallel } from './parallel.mjs';

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The folder that `require` would find a dependency in, from a package's folder upwards. */
function folderOf(name, from) {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  throw new Error(`${name} is not installed for ${from}`);
}

/** The folders of a package and of all that its installation alone would bring. Optional peers are not installed. */
function closureOf(consumer, name) {
  const closure = new Set();
  const add = (id, from) => {
    const folder = folderOf(id, from);
    if (closure.has(folder)) return;
    closure.add(folder);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(folder);
    const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
    for (const dependency of [...Object.keys(dependencies), ...peers]) add(dependency, folder);
  };
  add(name, consumer);
  return [...closure];
}

/** The bytes of a package's own files. */
function bytesOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesOf(path) : statSync(path).size);
    }, 0);
}

const hasInstallScript = (folder) => {
  const { scripts = {} } = manifestOf(folder);
  return ['preinstall', 'install', 'postinstall'].some((script) => script in scripts) || existsSync(join(folder, 'binding.gyp'));
};

/** Of what a package brings when it is installed alone: how many packages, their size in kB, and those with an install script. */
export function sizeOf(consumer, name) {
  const closure = closureOf(consumer, name);
  return {
    packages: closure.length,
    kB: Math.round(closure.reduce((sum, folder) => sum + bytesOf(folder), 0) / 1000),
    installScripts: closure.filter(hasInstallScript).map((folder) => manifestOf(folder).name),
  };
}

const loads = { import: ['module', 'await import(id)'], require: ['commonjs', 'require(id)'] };

/**
 * Loads a package in a separate process: milliseconds of processor time, which other work on the machine hardly changes, and MB of RSS
 * over those of Node before. The best of `runs`.
 */
async function measureLoad(consumer, id, way, runs) {
  const [type, load] = loads[way];
  const code = `const id = ${JSON.stringify(id)};
    gc();
    const before = process.memoryUsage.rss();
    const started = process.cpuUsage();
    ${load};
    const { user, system } = process.cpuUsage(started);
    gc();
    console.log(JSON.stringify({ ms: (user + system) / 1000, rssMB: (process.memoryUsage.rss() - before) / 1e6 }));
    process.exit();`;
  const measured = [];
  for (let run = 0; run < runs; run++) {
    const { status, stdout, stderr } = await capture(process.execPath, ['--expose-gc', `--input-type=${type}`, '-e', code], {
      cwd: consumer,
    });
    if (status !== 0) throw new Error(`${way} of ${id} failed\n${stderr}`);
    measured.push(JSON.parse(stdout));
  }
  const best = (key) => Math.min(...measured.map((each) => each[key]));
  return { ms: Math.round(best('ms')), rssMB: Math.max(0, Math.round(best('rssMB') * 10) / 10) };
}

/** What each package costs who installs and loads it alone, by name. `width` processes measure at a time. */
export async function measurePackages(consumer, names, { runs, width }) {
  const footprints = await mapParallel(names, width, async (name) => {
    const id = `@nodeagent/${name}`;
    const size = sizeOf(consumer, id);
    return [
      name,
      { ...size, import: await measureLoad(consumer, id, 'import', runs), require: await measureLoad(consumer, id, 'require', runs) },
    ];
  });
  return Object.fromEntries(footprints);
}

/**
 * What is over the budget, one line each. `budgets` has the limits of each package: `packages` and `kB`, which every machine measures alike,
 * and `ms` and `rssMB`, which are generous, as machines differ.
 */
export function overBudget(footprints, budgets) {
  const problems = Object.keys(budgets)
    .filter((name) => !(name in footprints))
    .map((name) => `${name}: has a budget, but is no package`);
  for (const [name, { packages, kB, installScripts, ...loaded }] of Object.entries(footprints)) {
    const budget = budgets[name];
    if (budget === undefined) {
      problems.push(`${name}: has no budget`);
      continue;
    }
    if (packages > budget.packages) problems.push(`${name}: installs ${packages} packages, at most ${budget.packages} are allowed`);
    if (kB > budget.kB) problems.push(`${name}: installs ${kB} kB, at most ${budget.kB} are allowed`);
    for (const script of installScripts) problems.push(`${name}: installs ${script}, which has an install script`);
    for (const way of ['import', 'require']) {
      const { ms, rssMB } = loaded[way];
      if (ms > budget.ms) problems.push(`${name}: its ${way} takes ${ms} ms, at most ${budget.ms} are allowed`);
      if (rssMB > budget.rssMB) problems.push(`${name}: its ${way} takes ${rssMB} MB, at most ${budget.rssMB} are allowed`);
    }
  }
  return problems;
}
