/** The Node releases that users have, by major version, as the npm package `node` publishes them. docs/testing.md lists the tests that run on them. */
export const nodeVersions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };
