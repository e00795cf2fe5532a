import { defineEndpoint } from '../endpoint.js';
import { service } from '../endpoint-path.js';
import { notRegistered } from '../refusal.js';

/** The paths below `/ui/`. */
export const uiEndpoint = defineEndpoint({
  name: 'ui',
  path: service('/ui', () => ({})),
  methods: 'any',
  authorization: ['ui', 'proxy'],
  label: 'other',
  isLongRunning: false,
  enabledBy: [{ switch: 'ui', refusal: notRegistered }],
  handle: ({ ui }) => ui && (({ request, response, isAllowed }) => ui(request, response, { isAllowed })),
});
