/** What the fields of every object's metadata mean: Kubernetes API reference, "ObjectMeta". */
const metadata: Readonly<Record<string, string>> = {
  annotations: 'Annotations is a map of values that tools and libraries keep with the object. Selectors cannot match them.',
  creationTimestamp: 'CreationTimestamp is a timestamp of the time at which the server created the object. Read-only.',
  deletionGracePeriodSeconds: 'Number of seconds that the object has to terminate before it is removed. Read-only.',
  deletionTimestamp: 'DeletionTimestamp is the time after which the object is removed, set when its deletion is requested. Read-only.',
  finalizers: 'Must be empty before the object is removed. Each entry names the component that removes it.',
  generateName: 'GenerateName is a prefix from which the server makes a unique name if the name is empty.',
  generation: 'A number that grows with each change of the desired state. Read-only.',
  labels: 'Labels is a map of values by which selectors match the object.',
  managedFields: 'ManagedFields has the fields that each manager set, for server-side apply.',
  name: 'Name is unique within the namespace and the resource. It cannot be updated.',
  namespace: 'Namespace is the space within which the name is unique. It cannot be updated.',
  ownerReferences: 'List of objects that this one depends on. It is removed once all of them are removed.',
  resourceVersion: 'An opaque version of the object, by which clients detect changes and watch from it. Read-only.',
  selfLink: 'Not populated any more.',
  uid: 'UID is the unique identity of the object in time and space. Read-only.',
};

const descriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = { ObjectMeta: metadata };

/** The description of a field of a built-in type in OpenAPI documents. */
export function descriptionOf(type: string, field: string): string | undefined {
  return descriptions[type]?.[field];
}
