// generate.mjs [--check]: writes what is generated from proto/runtime.v1.proto: the types of cri-api and the codec of cri-client.
// --check changes nothing and fails when a file differs from what the .proto gives.
// It exists for size: the code that pbjs generates is seven times as long (docs/decisions/0004-cri-codec.md).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateCodec } from './generate-codec.mjs';
import { generateTypes } from './generate-types.mjs';

const packages = new URL('../../', import.meta.url);
const types = generateTypes();
const files = {
  'cri-api/src/messages.ts': types.messages,
  'cri-api/src/services.ts': types.services,
  'cri-client/src/generated/codec.ts': generateCodec(),
};

const check = process.argv.includes('--check');
const differing = [];
for (const [name, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(name, packages));
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  differing.push(name);
  if (check) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

for (const name of differing) console.log(`${check ? 'differs' : 'written'}: packages/${name}`);
if (check && differing.length > 0) {
  console.error('run `npm run generate-cri` and commit the result');
  process.exit(1);
}
