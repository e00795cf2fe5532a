// check-manifests.mjs FILE: checks the YAML and JSON blocks of the pages, which FILE lists as JSON with `title` and `text`, by the installed
// packages: a Pod as a static pod, a KubeletConfiguration as the agent reads it, other kinds by their syntax. Prints a line for each problem.
import { readFileSync } from 'node:fs';
import { decodeConfiguration, setDefaults, validateKubeletConfiguration } from '@nodeagent/kubelet-config';
import { decodeManifest } from '@nodeagent/pod-sources';
import { readYaml } from '@nodeagent/yaml';

const checks = {
  Pod: async (value) => {
    const documents = await decodeManifest(JSON.stringify(value), { source: 'file', file: 'pod.json', nodeName: 'node' });
    // Pods of a cluster may refer to its objects, which static pods may not.
    const refused = documents.filter(({ error }) => error !== undefined && error.code !== 'StaticPodReference');
    return [...refused.map(({ error }) => error.message), ...documents.flatMap(({ warnings }) => warnings)];
  },
  KubeletConfiguration: async (value) => {
    const { configuration, unknownFields } = decodeConfiguration(value);
    return [...unknownFields, ...validateKubeletConfiguration(setDefaults(configuration))];
  },
};

for (const { title, text } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  for (const { value, problem, duplicateLines } of await readYaml(text)) {
    const found = problem === undefined ? duplicateLines.map((line) => `repeats a key at line ${line}`) : [problem.message];
    const check = checks[value?.kind];
    if (check !== undefined) found.push(...(await check(value).catch((error) => [error.message])));
    for (const line of found) console.log(`${title}: ${line}`);
  }
}
