import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = (link: string, text: string) => ({ text, link });

/** Pages of a folder in the order of their file names; the text of each is its first heading. */
function pagesOf(docs: string, folder: string) {
  return readdirSync(join(docs, folder))
    .filter((name) => /^\d+.*\.md$/.test(name))
    .sort()
    .map((name) => page(`/${folder}/${name.slice(0, -3)}`, headingOf(join(docs, folder, name))));
}

function headingOf(file: string): string {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  if (heading === undefined) throw new Error(`${file} has no heading`);
  return heading.replaceAll('`', '');
}

/** The packages, whose READMEs write-reference.mjs copies. */
const packagePages = (docs: string) =>
  readdirSync(join(docs, '..', 'packages'))
    .sort()
    .map((name) => page(`/packages/${name}`, name));

/** The sidebar of all pages. `docs` is the folder docs/. */
export const sidebar = (docs: string) => [
  {
    text: 'Start',
    items: [
      page('/start', 'Two commands'),
      page('/playground/', 'Playground'),
      page('/packages', 'Packages'),
      page('/releases', 'Releases'),
      page('/comparison', 'Compared with'),
      page('/comparison-of-libraries', 'Compared with other libraries'),
    ],
  },
  {
    text: 'Concepts',
    items: [
      page('/concepts/', 'The way of a pod'),
      page('/architecture', 'Architecture'),
      page('/concepts/pods-and-workers', 'Pods and pod workers'),
      page('/concepts/pod-start', 'Start of a pod'),
      page('/concepts/pleg', 'PLEG'),
      page('/concepts/admission-and-allocation', 'Admission and allocation'),
      page('/concepts/status', 'Pod status'),
      page('/concepts/probes', 'Probes'),
      page('/concepts/explain-a-pod', 'Explain a pod'),
      page('/concepts/volumes', 'Volumes'),
      page('/concepts/eviction', 'Node-pressure eviction'),
      page('/concepts/image-gc', 'Image garbage collection'),
      page('/concepts/node-status', 'Node status and lease'),
      page('/concepts/certificates', 'Certificates'),
      page('/concepts/server', 'HTTP server'),
    ],
  },
  {
    text: 'Tutorials',
    items: [
      page('/tutorials/evict-without-kubernetes', 'Evict without Kubernetes'),
      page('/tutorials/first-custom-agent', 'Your first custom agent'),
      page('/tutorials/controller-with-virtual-time', 'Test a controller with virtual time'),
      page('/tutorials/replace-the-runtime', 'Replace the runtime'),
    ],
  },
  {
    text: 'How-to',
    items: [
      page('/running', 'Run an agent'),
      page('/install', 'Install on a node'),
      page('/pods-without-a-daemon', 'Pods without a daemon'),
      page('/images', 'Images without a daemon'),
      page('/replace-a-kubelet', 'Replace a kubelet'),
      page('/upgrade', 'Upgrade nodeagent'),
      page('/harden', 'Harden a node'),
      page('/compose-your-own-agent', 'Compose your own agent'),
      page('/testing-controllers', 'Test a controller'),
      page('/timelines', 'Timelines of a cluster'),
      page('/find-bugs-in-a-controller', 'Find bugs in a controller'),
      page('/envtest', 'envtest in any language'),
      page('/use-in-a-browser', 'Use it in a browser'),
      page('/csi', 'CSI drivers'),
      page('/device-plugins', 'Run device plugins'),
      page('/dynamic-resource-allocation', 'Dynamic Resource Allocation'),
      page('/cgroup-v2', 'cgroup v2'),
      page('/migration', 'Migrate'),
      page('/contributing', 'Contribute'),
      page('/language', 'Language of the project'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('/reference/api/', 'API'),
      page('/reference/settings', 'Settings'),
      page('/reference/error-codes', 'Error codes'),
      page('/reference/metrics', 'Metrics'),
      page('/reference/events', 'Events'),
      page('/reference/bundle-sizes', 'Sizes of the entries'),
      page('/where-things-are', 'Where things are'),
    ],
  },
  { text: 'READMEs of the packages', collapsed: true, items: packagePages(docs) },
  {
    text: 'Performance and reliability',
    items: [
      page('/performance', 'Performance'),
      page('/reliability', 'Reliability'),
      page('/reliability-runs', 'Recorded runs'),
      page('/testing', 'Tests'),
    ],
  },
  { text: 'Decisions', collapsed: true, items: [page('/decisions/', 'About decisions'), ...pagesOf(docs, 'decisions')] },
];
