import type { Pod, ResourceClaim, ResourceClaimTemplate } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { type PodClaimsInput, reconcilePodClaims } from './pod-claims.js';
import { claimFinalizer, reconcileResourceClaim } from './reconcile-claim.js';

const pod = (more: Partial<Pod> = {}, name = 'web'): Pod => ({
  metadata: { namespace: 'ns', name, uid: `${name}-uid` },
  spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }] },
  ...more,
});
const template: ResourceClaimTemplate = {
  spec: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { devices: { requests: [{ name: 'r' }] } } },
};
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'web-uid', controller: true };
const annotations = { 'resource.kubernetes.io/pod-claim-name': 'gpu' };
const made: ResourceClaim = { metadata: { namespace: 'ns', name: 'web-gpu-x', annotations, ownerReferences: [owner] } };
const withStatus = (claimName?: string) => ({
  status: { resourceClaimStatuses: [{ name: 'gpu', ...(claimName && { resourceClaimName: claimName }) }] },
});

describe('reconcilePodClaims', () => {
  const step = (given: Partial<PodClaimsInput>) =>
    reconcilePodClaims({ pod: pod(), claimOf: () => undefined, owned: [], templateOf: () => template, ...given });

  it('creates a claim from a template, then names it in the status of the pod', () => {
    expect(step({}).create).toEqual([
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: {
          generateName: 'web-gpu-',
          namespace: 'ns',
          labels: { a: 'b' },
          annotations: { c: 'd', ...annotations },
          ownerReferences: [owner],
        },
        spec: template.spec.spec,
      },
    ]);
    expect(step({ owned: [made] })).toEqual({ create: [], reserve: [], statuses: [{ name: 'gpu', resourceClaimName: 'web-gpu-x' }] });
    expect(step({ owned: [made], pod: pod(withStatus('web-gpu-x')), claimOf: () => made })).toEqual({ create: [], reserve: [] });
  });

  it('creates a claim again that was deleted or belongs to another pod', () => {
    const named = pod(withStatus('web-gpu-x'));
    expect(step({ pod: named }).create).toHaveLength(1);
    expect(step({ pod: named, claimOf: () => ({ metadata: {} }) }).create).toHaveLength(1);
  });

  it('shortens both names of a long generated one', () => {
    const long = pod({}, 'p'.repeat(60));
    const [claim] = step({ pod: long }).create;
    expect(claim?.metadata?.generateName).toBe(`${'p'.repeat(52)}-gp`);
  });

  it('creates nothing for pods that are deleted or done, need no claim, or name one', () => {
    const nothing = { create: [], reserve: [] };
    expect(step({ pod: pod({ metadata: { deletionTimestamp: 'now' } }) })).toEqual(nothing);
    expect(step({ pod: pod(withStatus()) })).toEqual(nothing);
    expect(step({ pod: pod({ status: { phase: 'Succeeded' } }) })).toEqual(nothing);
    expect(step({ pod: pod({ spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimName: 'mine' }] } }) })).toEqual(nothing);
  });

  it('reports a missing template', () => {
    expect(step({ templateOf: () => undefined }).problem).toBe(
      'PodResourceClaim gpu: resource claim template "one-gpu": resourceclaimtemplate.resource.k8s.io "one-gpu" not found',
    );
  });

  it('reserves an allocated claim for a pod that has a node', () => {
    const spec = { containers: [], nodeName: 'n', resourceClaims: [{ name: 'gpu', resourceClaimName: 'mine' }] };
    const mine = { metadata: { name: 'mine' }, status: { allocation: {} } };
    expect(step({ pod: pod({ spec }), claimOf: () => mine }).reserve).toEqual([
      { ...mine, status: { allocation: {}, reservedFor: [{ resource: 'pods', name: 'web', uid: 'web-uid' }] } },
    ]);
    expect(step({ pod: pod({ spec }), claimOf: () => ({ metadata: { name: 'mine' } }) }).reserve).toEqual([]);
  });
});

describe('reconcileResourceClaim', () => {
  const consumer = (name: string, more: object = {}) => ({ resource: 'pods', name, uid: `${name}-uid`, ...more });
  const reserved = (...reservedFor: object[]) =>
    ({
      metadata: { namespace: 'ns', name: 'mine', finalizers: [claimFinalizer, 'other'] },
      status: { allocation: { devices: {} }, devices: [], reservedFor },
    }) as ResourceClaim;
  const steps = (claim: ResourceClaim, ...pods: Pod[]) =>
    reconcileResourceClaim(claim, (name) => pods.find(({ metadata }) => metadata?.name === name));
  const done: Partial<Pod> = { status: { phase: 'Succeeded' } };

  it('keeps the reservations of pods that may run', () => {
    expect(steps(reserved(consumer('web')), pod())).toEqual([]);
    const [write, more] = steps(reserved(consumer('web'), consumer('removed'), consumer('job')), pod(), pod(done, 'job'));
    expect(write).toMatchObject({ verb: 'updateStatus', object: { status: { allocation: {}, reservedFor: [consumer('web')] } } });
    expect(more).toBeUndefined();
    expect(steps(reserved(consumer('x', { apiGroup: 'example.com', resource: 'things' })))).toEqual([]);
  });

  it('frees the devices of a claim with its last reservation, and lets it be deleted', () => {
    const [status, metadata] = steps(reserved(consumer('web', { uid: 'earlier' })), pod());
    expect(status).toEqual({ verb: 'updateStatus', object: { metadata: reserved().metadata, status: {} } });
    expect(metadata).toMatchObject({ verb: 'update', object: { metadata: { finalizers: ['other'] }, status: {} } });
  });

  it('frees an unused claim when it is deleted, not before', () => {
    expect(steps(reserved())).toEqual([]);
    const deleted = { ...reserved(), metadata: { ...reserved().metadata, deletionTimestamp: 'now' } };
    expect(steps(deleted).map(({ verb }) => verb)).toEqual(['updateStatus', 'update']);
  });

  it('deletes a generated claim once its pod is done', () => {
    const generated = { ...reserved(consumer('web')), metadata: { ...reserved().metadata, ownerReferences: [owner] } };
    expect(steps(generated, pod(done)).map(({ verb }) => verb)).toEqual(['updateStatus', 'update', 'delete']);
    expect(steps(made, pod({ metadata: { name: 'web', uid: 'new' } })).map(({ verb }) => verb)).toEqual(['delete']);
    expect(steps(made)).toEqual([]);
  });
});
