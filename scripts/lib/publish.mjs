import { capture, mapParallel } from './parallel.mjs';

/** The versions of a package that a registry has. Throws if the registry answers another response than a package or 404. */
async function publishedVersions(registry, name) {
  const response = await fetch(new URL(name.replace('/', '%2f'), registry), { headers: { accept: 'application/vnd.npm.install-v1+json' } });
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`the registry answers ${response.status} for ${name}`);
  return Object.keys((await response.json()).versions);
}

/**
 * Publishes the tarballs of those packages whose version the registry lacks, so a release that failed half-way can be repeated. `cwd` is a
 * folder whose .npmrc may have the registry's credentials. Returns the published packages; throws with the output of npm on the first failure.
 */
export async function publishPackages(entries, { tarballOf, registry, cwd, provenance, onPublished = () => {} }) {
  const published = await mapParallel(entries, 2, async (entry) => {
    const { name, version } = entry.manifest;
    if ((await publishedVersions(registry, name)).includes(version)) return undefined;
    const args = ['publish', tarballOf(entry), '--registry', registry, `--provenance=${provenance}`, '--loglevel=error'];
    const { status, stdout, stderr } = await capture('npm', args, { cwd });
    if (status !== 0) throw new Error(`npm publish of ${name}@${version} failed\n${stdout}${stderr}`);
    onPublished(entry);
    return entry;
  });
  return published.filter((entry) => entry !== undefined);
}
