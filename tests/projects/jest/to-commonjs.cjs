const { extname } = require('node:path');
const { transformSync } = require('esbuild');

/** A transformer of Jest: TypeScript and ES modules to CommonJS. */
module.exports = {
  process(text, file) {
    return transformSync(text, { loader: extname(file).slice(1), format: 'cjs', target: 'node20', sourcefile: file, sourcemap: 'inline' });
  },
};
