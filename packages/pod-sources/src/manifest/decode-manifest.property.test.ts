import { NodeAgentError } from '@nodeagent/api';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { decodeManifest, type ManifestDocument } from './decode-manifest.js';

const origin = { source: 'file', file: 'a.yaml', nodeName: 'n1' } as const;

const probe = { httpGet: { path: '/', port: 'http', httpHeaders: [{ name: 'A', value: 'b' }] }, periodSeconds: 3 };
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { a: 'b' }, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u' }] },
  spec: {
    initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always', lifecycle: { preStop: { sleep: { seconds: 1 } } } }],
    containers: [
      {
        name: 'c',
        image: 'repo:5000/x:1',
        ports: [{ name: 'http', containerPort: 80, hostPort: 80 }],
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } }],
        resources: { limits: { cpu: 1, memory: '1Gi' }, requests: { 'example.com/gpu': '0' } },
        volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }],
        livenessProbe: probe,
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
        securityContext: { runAsUser: 1, capabilities: { add: ['A'] }, seccompProfile: { type: 'Localhost', localhostProfile: 'x' } },
      },
    ],
    volumes: [
      { name: 'v', hostPath: { path: '/v' } },
      { name: 'p', projected: { sources: [{ downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } }] } },
    ],
    tolerations: [{ key: 'k', operator: 'Equal', value: 'v' }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [] }] } } },
    dnsConfig: { nameservers: ['10.0.0.1'], searches: ['a.b'], options: [{ name: 'ndots' }] },
    resources: { limits: { cpu: '2' } },
    securityContext: { sysctls: [{ name: 'net.core.somaxconn', value: '1' }] },
  },
};

/** Every place of a value, as the keys that lead to it. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, entry]) => places(entry, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.with(Number(key), replaced(value[Number(key)], rest, by));
  const map = value as Record<string, unknown>;
  return { ...map, [key]: replaced(map[key], rest, by) };
}

function isSound({ pod: decoded, error, warnings }: ManifestDocument): boolean {
  const lines = [...warnings, ...(error ? [error.message] : [])];
  if (lines.some((line) => /[\n\r\u2028\u2029]/.test(line) || !line.startsWith('a.yaml'))) return false;
  return decoded ? decoded.metadata?.uid !== undefined : error instanceof NodeAgentError;
}

/** fast-check prints seed and path of what it finds. */
const runs = { numRuns: 200 };

describe('decodeManifest on whatever comes', () => {
  it('answers documents for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.json()), async (text) => {
        const documents = await decodeManifest(text, origin);
        return documents.length > 0 && documents.every(isSound);
      }),
      runs,
    );
  });

  it('answers a pod or an error for a valid pod with any value in any place', async () => {
    const mutation = fc.tuple(fc.constantFrom(...places(pod)), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(mutation, async ([place, value]) => {
        const documents = await decodeManifest(`# mutated\n---\n${JSON.stringify(replaced(pod, place, value))}`, origin);
        return documents.every(isSound);
      }),
      { numRuns: 400 },
    );
  });

  it('answers documents for a valid text that is cut or overwritten anywhere', async () => {
    const text = JSON.stringify(pod, null, 1);
    const position = fc.nat(text.length);
    await fc.assert(
      fc.asyncProperty(position, position, fc.string({ unit: 'grapheme', maxLength: 5 }), fc.boolean(), async (a, b, insert, yaml) => {
        const mangled = text.slice(0, a) + insert + text.slice(Math.max(a, b));
        return (await decodeManifest(yaml ? `---\n${mangled}` : mangled, origin)).every(isSound);
      }),
      runs,
    );
  });
});
