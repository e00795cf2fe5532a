/** Packages that have ES modules only. */
const esModules = ['@kubernetes/client-node', 'jose', 'oauth4webapi', 'openid-client'];

module.exports = {
  // The tests may run beside others on a busy machine.
  testTimeout: 60_000,
  transform: { '\\.[jt]s$': '<rootDir>/to-commonjs.cjs' },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
  // TypeScript's sources import `./x.js`, which is `./x.ts`.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};
