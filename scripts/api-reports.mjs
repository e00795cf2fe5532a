// api-reports.mjs [--check]: writes the API report of every entry point of every package from the built declarations, as
// packages/NAME/etc/NAME.api.md, or NAME-SUBPATH.api.md for a subpath. --check only compares.
// It exists because the command of API Extractor compiles each entry point alone; here all entry points share one compilation.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { buildPackages } from './lib/build.mjs';
import { entriesOf } from './lib/entries.mjs';
import { packages } from './lib/packages.mjs';
import { root } from './lib/pnpm.mjs';

const isCheck = process.argv.includes('--check');
if (!buildPackages({ types: true })) process.exit(1);

const reports = packages().flatMap(({ name, dir, manifest }) =>
  entriesOf(manifest).map((entry) => {
    const reportName = entry.name === 'index' ? name : `${name}-${entry.name}`;
    return { etc: join(dir, 'etc'), file: `${reportName}.api.md`, config: configOf(dir, entry, reportName) };
  }),
);
const [{ config: first }] = reports;
const compilerState = CompilerState.create(first, { additionalEntryPoints: reports.map(({ config }) => config.mainEntryPointFilePath) });
const changed = [];

for (const { etc, file, config } of reports) {
  mkdirSync(etc, { recursive: true });
  const { apiReportChanged } = Extractor.invoke(config, { compilerState, localBuild: !isCheck, messageCallback });
  if (apiReportChanged) changed.push(join(etc, file).slice(root.length));
}
for (const { name, dir } of packages()) removeObsolete(name, join(dir, 'etc'));

for (const path of changed) console.log(`${isCheck ? 'differs' : 'written'}: ${path}`);
if (isCheck && changed.length > 0) {
  console.error('the API has changed: run `npm run api`, read the difference and commit it');
  process.exit(1);
}

function configOf(dir, entry, reportName) {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(dir, 'package.json'),
    configObject: {
      projectFolder: dir,
      mainEntryPointFilePath: join(dir, 'dist', `${entry.name}.d.ts`),
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2022',
            lib: ['ES2023'],
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            types: ['node'],
            skipLibCheck: true,
            strict: true,
          },
          files: [join(dir, 'dist', `${entry.name}.d.ts`)],
        },
      },
      apiReport: {
        enabled: true,
        // A type that exported declarations use belongs to the API, exported or not.
        includeForgottenExports: true,
        reportFileName: reportName,
        reportFolder: join(dir, 'etc'),
        reportTempFolder: join(root, '.cache', 'api-reports'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: { default: { logLevel: 'none' } },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
        compilerMessageReporting: { default: { logLevel: 'error' } },
      },
    },
  });
}

/** Shows errors of the compiler only; the result has `apiReportChanged`. */
function messageCallback(message) {
  message.handled = message.category !== 'Compiler';
}

/** Removes, or with --check reports, the reports of entry points that no longer exist. */
function removeObsolete(name, etc) {
  const current = new Set(reports.filter((report) => report.etc === etc).map(({ file }) => file));
  for (const file of existsSync(etc) ? readdirSync(etc) : []) {
    if (current.has(file)) continue;
    changed.push(`packages/${name}/etc/${file}`);
    if (!isCheck) rmSync(join(etc, file));
  }
}
