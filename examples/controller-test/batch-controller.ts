import { isDeepStrictEqual } from 'node:util';
import {
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1Pod,
} from '@kubernetes/client-node';
import { type Batch, planBatch } from './plan-batch.js';

export interface BatchController {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface BatchControllerOptions {
  config: KubeConfig;
  namespace: string;
  /** Sleeps: in production `setTimeout` of `node:timers/promises`, in a test the virtual clock's. */
  sleep(ms: number): Promise<void>;
  /** Called with each error. */
  onError?: (error: unknown) => void;
}

const retryMs = 5_000;

/** Reconciles batches: creates their pods, replaces failed ones, and reports the progress in the status. */
export function createBatchController({ config, namespace, sleep, onError = () => {} }: BatchControllerOptions): BatchController {
  const pods = config.makeApiClient(CoreV1Api);
  const objects = config.makeApiClient(CustomObjectsApi);
  const place = { group: 'example.com', version: 'v1', namespace, plural: 'batches' };
  const batchInformer = makeInformer<Batch & KubernetesObject>(
    config,
    `/apis/example.com/v1/namespaces/${namespace}/batches`,
    () => objects.listNamespacedCustomObject(place) as Promise<KubernetesListObject<Batch & KubernetesObject>>,
  );
  const labelSelector = 'example.com/batch';
  const listPods = () => pods.listNamespacedPod({ namespace, labelSelector });
  const podInformer = makeInformer<V1Pod>(config, `/api/v1/namespaces/${namespace}/pods`, listPods, labelSelector);
  let stopped = false;
  /** The queue of batches to reconcile, without duplicates. */
  const waiting = new Set<string>();
  let working: Promise<void> | undefined;

  async function reconcile(name: string): Promise<void> {
    const batch = batchInformer.get(name, namespace);
    if (batch === undefined || batch.status?.phase === 'Complete' || batch.status?.phase === 'Failed') return;
    const own = podInformer.list(namespace).filter(({ metadata }) => metadata?.labels?.[labelSelector] === name);
    const { create, status } = planBatch(batch, own);
    for (const body of create) {
      await pods.createNamespacedPod({ namespace, body }).catch((error) => {
        if (error.code !== 409) throw error;
      });
    }
    if (isDeepStrictEqual(status, batch.status)) return;
    await objects.patchNamespacedCustomObjectStatus(
      { ...place, name, body: { status } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  }

  async function work(): Promise<void> {
    for (const name of waiting) {
      if (stopped) return;
      waiting.delete(name);
      try {
        await reconcile(name);
      } catch (error) {
        onError(error);
        void sleep(retryMs).then(() => check(name));
      }
    }
  }

  function check(name: string): void {
    waiting.add(name);
    working ??= work().finally(() => {
      working = undefined;
    });
  }

  function follow<T extends KubernetesObject>(informer: Informer<T>, batchOf: (object: T) => string | undefined): void {
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, (object) => {
        const name = batchOf(object);
        if (name !== undefined) check(name);
      });
    }
    informer.on('error', (error) => {
      // Stopping an informer raises an error.
      if (stopped) return;
      onError(error);
      void sleep(retryMs).then(async () => {
        if (!stopped) await informer.start();
      });
    });
  }

  return {
    async start() {
      follow(batchInformer, ({ metadata }) => metadata.name);
      follow(podInformer, ({ metadata }) => metadata?.labels?.[labelSelector]);
      // Pods first: without its pods a batch would get new ones.
      await podInformer.start();
      await batchInformer.start();
    },
    async stop() {
      stopped = true;
      await Promise.all([podInformer.stop(), batchInformer.stop()]);
      await working;
    },
  };
}
