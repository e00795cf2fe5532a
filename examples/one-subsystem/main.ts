/**
 * One subsystem in a tool: a linter for pod manifests that reports the kubelet's errors and warnings.
 *     node_modules/.bin/tsx examples/one-subsystem/main.ts [FILE...]
 */
import { readFileSync } from 'node:fs';
import { decodeManifest } from '@nodeagent/pod-sources';

const samples: [string, string][] = [
  ['web.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: nginx}]}'],
  ['typo.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: typo}\nspec: {containers: [{name: c, image: host, comand: [ls]}]}'],
  ['two.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: good}\nspec: {containers: [{name: c, image: host}]}\n---\nkind: Deployment'],
];
const files = process.argv.slice(2).map((file): [string, string] => [file, readFileSync(file, 'utf8')]);

for (const [file, text] of files.length > 0 ? files : samples) {
  for (const { pod, error, warnings } of await decodeManifest(text, { source: 'file', file, nodeName: 'node-1' })) {
    const policy = pod?.spec?.containers[0]?.imagePullPolicy;
    if (pod !== undefined) console.log(`${file}: runs as ${pod.metadata?.namespace}/${pod.metadata?.name}, imagePullPolicy ${policy}`);
    for (const message of error === undefined ? warnings : [error.message]) console.log(message);
  }
}
