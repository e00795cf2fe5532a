import { element } from './dom.js';

const name = (text) => element('span', { class: 'name', text });
const state = (level, text) => element('span', { class: 'state', 'data-level': level, text });
const remark = (text) => element('span', { class: 'message', text: ` ${text}` });

/** A resource of a device plugin, and a line for each of its devices that is in use or unhealthy. */
export const deviceItems = ({ resource, summary, state: text, devices }) => [
  element('p', {}, name(resource), ' ', state(text === 'healthy' ? 'ok' : 'bad', text), remark(summary)),
  ...devices.map(({ id, isHealthy, user }) =>
    element(
      'p',
      { class: 'device' },
      `${id} `,
      isHealthy ? '' : state('bad', 'unhealthy'),
      remark(user ? `used by ${user}` : 'not in use'),
    ),
  ),
];

export const driverItem = ({ driver, isConnected }) =>
  element('p', {}, 'DRA driver ', name(driver), ' ', isConnected ? state('ok', 'connected') : state('bad', 'not connected'));

/** A ResourceClaim; with its pod where that is not obvious. */
export const claimItem = ({ claim, devices, ...known }, pod) =>
  element(
    'p',
    {},
    'ResourceClaim ',
    name(claim),
    pod === undefined ? '' : ` of ${pod}`,
    ' ',
    claimState(known),
    devices.length > 0 ? remark(devices.join(', ')) : '',
  );

function claimState({ isPrepared, isUnhealthy }) {
  if (isUnhealthy) return state('bad', 'unhealthy');
  if (isPrepared === undefined) return '';
  return isPrepared ? state('ok', 'prepared') : state('busy', 'not prepared yet');
}
