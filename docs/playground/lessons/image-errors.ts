import { kubernetesDocs, type Lesson, minute, stateOf } from './lesson.js';

const pod = (image: string) => `apiVersion: v1
kind: Pod
metadata:
  name: typo
spec:
  containers:
    - name: main
      image: ${image}
`;

export const imageErrors: Lesson = {
  id: 'image-errors',
  title: 'Image pull errors',
  text: 'The image is misspelled. The pull fails (ErrImagePull), and the kubelet retries after a back-off of 10 s, 20 s, 40 s, up to 5 minutes (ImagePullBackOff). After three minutes the manifest is corrected: an image is the field of a pod that can be changed, and the pod starts without a new one.',
  exercise: 'Make pulls slow with the button "Slow pulls", then create a second pod: pulls of one node run one after the other.',
  docs: kubernetesDocs('concepts/containers/images/#imagepullbackoff'),
  playMs: 4 * minute,
  state: stateOf({
    nodes: 1,
    manifests: pod('ngnix:1.29'),
    actions: [{ at: 3 * minute, kind: 'apply', manifests: pod('nginx:1.29') }],
  }),
};
