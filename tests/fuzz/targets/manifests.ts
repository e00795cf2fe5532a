import type { Pod } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { decodeManifest, type ManifestDocument, type ManifestOrigin } from '@nodeagent/pod-sources';
import { applyApiDefaults, validatePod } from '@nodeagent/pod-sources/decisions';
import fc from 'fast-check';
import { manifestExamples } from '../examples/manifests.js';
import { textField } from '../generate/bytes.js';
import { type Json, jsonText, mutatedJson } from '../generate/json.js';
import { mutatedText, yamlPieces } from '../generate/text.js';
import { promise, promiseDocumented, promisePlain, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const tree = mutatedJson(manifestExamples);
const text = fc.oneof(
  tree.map((value) => jsonText(value)),
  tree.map((value) => `# a comment\n---\n${jsonText(value, 1)}`),
  tree.map((value) => `${blockYaml(value)}\n---\n${jsonText(manifestExamples[0] ?? null)}\n`),
  mutatedText(fc.constantFrom(...manifestExamples.flatMap((value) => [`${blockYaml(value)}\n`, jsonText(value, 1)])), yamlPieces),
);

/** Block style: what people write. Strings are quoted, so that they stay strings. */
function blockYaml(value: Json, indent = ''): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((entry) => `\n${indent}- ${blockYaml(entry, `${indent}  `).trimStart()}`).join('');
  if (!Array.isArray(value) && isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value as Record<string, Json>)
      .map(([key, entry]) => `\n${indent}${JSON.stringify(key)}: ${blockYaml(entry, `${indent}  `)}`)
      .join('');
  }
  return jsonText(value);
}

const codes = ['NotAPod', 'InvalidManifest', 'StaticPodReference'];
const origins: Readonly<Record<string, ManifestOrigin>> = {
  file: { source: 'file', file: 'a.yaml', nodeName: 'N1' },
  http: { source: 'http', url: 'a.yaml', nodeName: 'N1' },
};

export const manifests = fuzzTarget({
  name: 'manifests',
  promise: 'a text gives complete valid pods, or errors that name file and field; decoding, defaults and UIDs are stable',
  runs: 450,
  inputs: fc.record({ text, source: fc.constantFrom('file', 'file', 'http') }),
  content: textField('text'),
  async check({ text, source }) {
    const origin = origins[source] as ManifestOrigin;
    const documents = await decodeManifest(text, origin);
    promise(documents.length > 0 || source === 'http', 'a text without a document');
    promiseSame(await decodeManifest(text, origin), documents, 'the second decoding');
    for (const document of documents) checkDocument(document);
    for (const { pod } of documents) if (pod) await checkPod(pod, origin);
    promiseSame(Object.keys(Object.prototype), [], 'the properties of all objects');
  },
});

function checkDocument({ pod, error, warnings, document }: ManifestDocument): void {
  promise(Number.isInteger(document) && document > 0, `document ${document}`);
  promise((pod === undefined) !== (error === undefined), 'a document is a pod or an error');
  for (const line of [...warnings, ...(error ? [error.message] : [])]) {
    promise(line.startsWith('a.yaml') && !/[\p{Cc}\u2028\u2029]/u.test(line), `the line ${JSON.stringify(line)}`);
  }
  if (error === undefined) return;
  const { details } = promiseDocumented(error, codes, 'decodeManifest');
  promise(
    typeof details.field === 'string' && typeof details.problem === 'string' && details.problem !== '',
    'an error without field or problem',
  );
}

async function checkPod(pod: Pod, origin: ManifestOrigin): Promise<void> {
  promisePlain(pod, 'the pod');
  const { metadata, spec, status } = pod;
  promise(/-n1$/.test(metadata?.name ?? '') && metadata?.namespace !== '' && !!metadata?.uid, 'the pod has no name, namespace or UID');
  promiseSame(status, { phase: 'Pending' }, 'the status');
  promise(spec?.nodeName === 'N1' && !!spec.restartPolicy && !!spec.dnsPolicy && spec.containers.length > 0, 'the spec has no defaults');
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const { name, image, imagePullPolicy, terminationMessagePath, ports = [] } = container;
    promise(!!name && !!image && !!imagePullPolicy && !!terminationMessagePath, `the container ${name} has no defaults`);
    promise(
      ports.every(({ protocol, containerPort }) => !!protocol && containerPort > 0),
      `a port of ${name} has no defaults`,
    );
  }
  const again = structuredClone(pod);
  applyApiDefaults(again);
  promiseSame(again, pod, 'the defaults of a pod with defaults');
  promiseSame(validatePod(pod), [], 'the problems of an accepted pod');
  await checkSecondDecoding(pod, origin);
}

/** A pod that is written as a manifest again is the same pod, but for its name, which gets the node's name once more. */
async function checkSecondDecoding(pod: Pod, origin: ManifestOrigin): Promise<void> {
  const [document] = await decodeManifest(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...pod }), origin);
  if (document?.error?.message.includes('metadata.name')) return;
  const expected = { ...pod, metadata: { ...pod.metadata, name: `${pod.metadata?.name}-n1` } };
  promiseSame(document?.pod ?? document?.error, expected, 'the pod decoded again');
}
