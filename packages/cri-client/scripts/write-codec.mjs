// write-codec.mjs: writes src/generated/codec.ts. The setup of the checkout runs it when the .proto or a script here has changed; its result
// is not committed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { generateCodec } from './generate-codec.mjs';

const folder = new URL('../src/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('codec.ts', folder), generateCodec());
