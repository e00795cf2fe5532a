import { join } from 'node:path';
import { capture } from '../parallel.mjs';
import { bundledPackages } from './notices.mjs';

/**
 * The bill of materials of an installation, CycloneDX 1.5: that of `npm sbom`, without what differs from run to run (serial number, time,
 * all orders, and folder and hash of what pnpm packed), and with the packages whose code others have in their files.
 */
export async function createSbom(installed, { epochSeconds }) {
  const { status, stdout, stderr } = await capture('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx'], { cwd: installed });
  if (status !== 0) throw new Error(`npm sbom failed\n${stderr}`);
  const { serialNumber: _, metadata, components, dependencies, ...rest } = JSON.parse(stdout);
  return {
    ...rest,
    metadata: { ...metadata, timestamp: new Date(epochSeconds * 1_000).toISOString() },
    components: sortedBy('bom-ref', components).map((component) => ({
      ...withoutPackedFile(component),
      components: bundledPackages(join(installed, 'node_modules', component.name)).map((bundled) => bundledComponent(component, bundled)),
    })),
    dependencies: sortedBy('ref', dependencies).map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.toSorted() })),
  };
}

const sortedBy = (key, objects) => objects.toSorted((a, b) => (a[key] < b[key] ? -1 : 1));

function withoutPackedFile({ externalReferences, hashes, ...component }) {
  const references = externalReferences.filter(({ url }) => !url.startsWith('file:'));
  return { ...component, externalReferences: references, ...(references.length === externalReferences.length && { hashes }) };
}

const bundledComponent = ({ 'bom-ref': bundler }, { name, version, license }) => ({
  'bom-ref': `${bundler}/${name}@${version}`,
  type: 'library',
  name,
  version,
  scope: 'required',
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  licenses: [{ license: { id: license } }],
});
