import { errorMessage } from '@nodeagent/api';
import { hasNamespace, namespaceCheckOf } from './kubectl/get-namespace.js';

const hint = `kubectl is not on PATH, and its stand-in only answers "get ns NAME", by which jenvtest and kube-api-test check the server: install
kubectl (https://kubernetes.io/docs/tasks/tools/), or use a client library
`;

/** The stand-in of kubectl, for machines without it. */
const check = namespaceCheckOf(process.argv.slice(2));
const found = check && (await hasNamespace(check).catch((error: unknown) => errorMessage(error)));
if (found === true) process.stdout.write(`namespace/${check?.name}\n`);
else {
  process.stderr.write(check ? `error: namespace "${check.name}": ${found || 'not found'}\n` : hint);
  process.exitCode = 1;
}
