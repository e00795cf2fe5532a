import { isBuiltin } from 'node:module';

/**
 * The exports that our code imports of Node's modules whose other exports are expensive: `import` reads each export of a module, and since Node 22
 * `http.WebSocket` loads undici (11 MiB and 15 ms), `tls.rootCertificates` parses all certificates, `crypto.webcrypto`, `process.report` and
 * some of `util` load more modules.
 */
const imported = {
  'node:crypto':
    'X509Certificate, constants, createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, randomUUID, sign, verify',
  'node:http': 'Agent, STATUS_CODES, ServerResponse, createServer, request',
  'node:process': 'arch',
  'node:tls': 'TLSSocket, connect, createSecureContext',
  'node:util': 'inspect, isDeepStrictEqual, parseArgs, promisify, stripVTControlCharacters, styleText',
};

/** An esbuild plugin for ES modules that takes the modules above from `process.getBuiltinModule`, which reads no export; and all that CommonJS modules require. */
export function builtinsWithoutFacade() {
  const [esm, cjs] = ['builtin-without-facade', 'required-builtin'];
  const moduleText = (path) => `process.getBuiltinModule(${JSON.stringify(path)})`;
  return {
    name: esm,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, kind }) => {
        if (kind === 'require-call' && isBuiltin(path)) return { path, namespace: cjs };
        return kind === 'import-statement' && Object.hasOwn(imported, path) ? { path, namespace: esm } : undefined;
      });
      onLoad({ filter: /./, namespace: cjs }, ({ path }) => ({ contents: `module.exports = ${moduleText(path)};` }));
      onLoad({ filter: /./, namespace: esm }, ({ path }) => ({
        contents: `const module = ${moduleText(path)};\nexport const { ${imported[path]} } = module;\nexport default module;`,
      }));
    },
  };
}
