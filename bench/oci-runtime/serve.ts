// Serves the OCI runtime of nodeagent on a socket of a private folder, until its standard input ends: prints the endpoint.
import { startOciRuntime } from '../../tests/support/oci/oci-runtime.js';

const runtime = await startOciRuntime();
console.log(runtime.endpoint);
for await (const _ of process.stdin);
await runtime.cleanup();
