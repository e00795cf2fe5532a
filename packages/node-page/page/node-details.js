import { sparkline } from './chart.js';
import { claimItem, deviceItems, driverItem } from './devices.js';
import { byId, element } from './dom.js';
import { amount, cores, relativeTime } from './format.js';
import { onLink, readLink, writeLink } from './link.js';
import { section } from './section.js';

const perSecond = (value) => `${amount(value)}/s`;

/** What the node opens to: read when it opens, and with each sample of usage while it is open. */
export function createNodeDetails() {
  const node = byId('node');
  const facts = element('dl', { class: 'facts' });
  const charts = element('div', { class: 'charts' });
  const sections = {
    eviction: section('Order of eviction'),
    images: section('Images'),
    devices: section('Devices and claims'),
  };
  byId('node-details').append(facts, charts, ...Object.values(sections).map(({ root }) => root));

  const show = ({ version, runtime, addresses = [], bootedAt, history, eviction, images, devices, drivers, claims }) => {
    const rows = [
      ['Version', version],
      ['Runtime', runtime],
      ['Addresses', addresses.join(', ')],
      ['Uptime', bootedAt && relativeTime(bootedAt, 'age')],
    ].filter(([, value]) => value);
    facts.replaceChildren(...rows.flatMap(([term, value]) => [element('dt', { text: term }), element('dd', {}, value)]));
    const { times, values } = history;
    const lines = [
      sparkline('CPU', times, values.cpu, cores),
      sparkline('Memory', times, values.memory, amount),
      sparkline('Disk', times, values.disk, amount),
      sparkline('Received', times, values.rx, perSecond),
      sparkline('Sent', times, values.tx, perSecond),
    ];
    charts.replaceChildren(...lines.filter((each) => each !== undefined));
    sections.eviction.show(eviction?.candidates.length ?? 0, () => [
      element('p', { class: 'message', text: `if ${eviction.signal} is short` }),
      element('ol', { class: 'ranked' }, ...eviction.candidates.map(candidateItem)),
    ]);
    sections.images.show(images?.lines.length ?? 0, () => [
      element('p', { class: 'message', text: `a garbage collection now would free ${amount(images.freedBytes)}` }),
      ...images.lines.map(imageItem),
    ]);
    sections.devices.show(devices.length + drivers.length + claims.length, () => [
      ...devices.flatMap(deviceItems),
      ...drivers.map(driverItem),
      ...claims.map((claim) => claimItem(claim, claim.pod)),
    ]);
  };
  let isReading = false;
  const refresh = async () => {
    if (!node.open || isReading) return;
    isReading = true;
    try {
      const answer = await fetch('node', { cache: 'no-store' });
      if (answer.ok) show(await answer.json());
    } catch {
      // The stream shows that the agent is unreachable.
    } finally {
      isReading = false;
    }
  };
  const follow = ({ node: open }) => {
    node.open = open === 'open';
  };
  onLink(follow);
  follow(readLink());
  node.addEventListener('toggle', () => {
    writeLink({ node: node.open ? 'open' : '' });
    void refresh();
  });
  return { refresh: () => void refresh() };
}

const candidateItem = ({ pod, evictable, reason }) =>
  element('li', evictable ? {} : { class: 'message' }, element('strong', { text: pod }), ` ${reason}`);

const imageItem = ({ id, name, size, isRemoved, reason }) =>
  element(
    'p',
    { class: 'event', 'data-severity': isRemoved ? 'warning' : 'info' },
    `${isRemoved ? 'removed' : 'kept'}: ${name ?? id.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]+$/, '$1…')} `,
    element('span', { class: 'message', text: `${amount(size)}, ${reason}` }),
  );
