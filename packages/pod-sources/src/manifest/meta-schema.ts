import { flag, ignored, int64, list, struct, text, textList, textMap, time } from './schema.js';

export const objectMeta = struct({
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: int64,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: int64,
  labels: textMap,
  annotations: textMap,
  ownerReferences: list(struct({ apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag })),
  finalizers: textList,
  managedFields: ignored,
});

export const labelSelector = struct({
  matchLabels: textMap,
  matchExpressions: list(struct({ key: text, operator: text, values: textList })),
});

export const localReference = struct({ name: text });
