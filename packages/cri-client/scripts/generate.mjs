// generate.mjs [--check]: writes the types of cri-api, which are generated from proto/runtime.v1.proto and committed, as users read them.
// --check changes nothing and fails when a file differs from what the .proto gives.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateTypes } from './generate-types.mjs';

const packages = new URL('../../', import.meta.url);
const types = generateTypes();
const files = {
  'cri-api/src/messages.ts': types.messages,
  'cri-api/src/services.ts': types.services,
};

const check = process.argv.includes('--check');
const differing = [];
for (const [name, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(name, packages));
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  differing.push(name);
  if (check) continue;
  writeFileSync(file, text);
}

for (const name of differing) console.log(`${check ? 'differs' : 'written'}: packages/${name}`);
if (check && differing.length > 0) {
  console.error('run `npm run generate-cri` and commit the result');
  process.exit(1);
}
