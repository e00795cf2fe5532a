import ts from 'typescript';
import { cell, nodesOf, placeOf, propertyOf } from './sources.mjs';
import { textsOf } from './values.mjs';

/** Where the events come from that a package records for others: as objects with `reason` and `message`, or from a table of reasons. */
const recordedFor = {
  allocation: [
    ['allocation', /\/(admit|reject-pod)\.ts$/],
    ['pod-admission', /\/(predicates|.*-admit-handler)\.ts$/],
    ['node-shutdown', /\/shutdown-manager\.ts$/],
    ['eviction', /\/admit\.ts$/],
  ],
  core: [
    ['api', /\/dns\.ts$/],
    ['status-manager', /\/active-deadline\.ts$/],
  ],
  'node-status': [['node-status', /\/(status|manager)\//]],
  'pod-sources': [['pod-sources', /\/merge\//]],
  prober: [['prober']],
};
/** Passes on what it is given. */
const forwarding = ['event-recorder'];

/** The page of all events. Throws if the reason of one does not follow from the sources. */
export function eventsPage(packages) {
  const filesOf = new Map(packages.map(({ name, files }) => [name, files]));
  const sections = packages.flatMap(({ name, files }) => {
    const events = new Map();
    let isIncomplete = false;
    for (const call of files.flatMap(recorderCalls)) {
      const [, type, reason, message] = call.arguments;
      const reasons = textsOf(reason, files);
      if (reasons === undefined && !forwarding.includes(name) && recordedFor[name] === undefined)
        throw new Error(
          `${placeOf(call)}: the reason of the event does not follow from the package: add where it comes from to recordedFor`,
        );
      isIncomplete ||= reasons === undefined && !forwarding.includes(name);
      const [types, messages] = [textsOf(type, files), textsOf(message, files)];
      // Of several reasons and types it is open which belong together.
      for (const each of reasons ?? []) add(events, each, types?.length === 1 ? types : [], reasons.length === 1 ? messages : []);
    }
    if (recordedFor[name] !== undefined && !isIncomplete) throw new Error(`recordedFor has an entry for ${name}, which needs none`);
    for (const [origin, path = /./] of isIncomplete ? recordedFor[name] : [])
      for (const { reason, types, messages } of filesOf
        .get(origin)
        .filter(({ fileName }) => path.test(fileName))
        .flatMap(describedEvents))
        add(events, reason, types, messages);
    if (events.size === 0) return [];
    const rows = [...events].sort(([a], [b]) => (a < b ? -1 : 1)).map(row);
    return [`## ${name}\n\n| Reason | Type | Message |\n| --- | --- | --- |\n${rows.join('\n')}\n`];
  });
  return `# Events

This page is for operators and for everybody who reads or tests events of pods and nodes. Packages record events through the
\`EventRecorder\` port of \`@nodeagent/api\`, with the reasons and messages of the kubelet. \`*\` stands for a value; an empty field depends on
the cause of the event.

${sections.join('\n')}`;
}

function add(events, reason, types = [], messages = []) {
  const known = events.get(reason) ?? { types: new Set(), messages: new Set() };
  for (const type of types) known.types.add(type);
  for (const message of messages) if (message.replaceAll('*', '').trim() !== '') known.messages.add(message);
  events.set(reason, known);
}

const row = ([reason, { types, messages }]) =>
  `| \`${reason}\` | ${[...types].join(', ')} | ${[...messages].map((message) => `\`${cell(message).replaceAll('`', "'")}\``).join('<br>')} |`;

const recorderCalls = (file) =>
  nodesOf(
    file,
    (node) =>
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'event' &&
      /recorder$/i.test(node.expression.expression.getText()) &&
      node.arguments.length >= 4,
  );

/** Reasons beside a message, in objects and in types, and reasons of a property `event`. */
function describedEvents(file) {
  const files = [file];
  const described = [];
  for (const object of nodesOf(file, ts.isObjectLiteralExpression)) {
    const [reason, message, event, type] = ['reason', 'message', 'event', 'type'].map((name) => propertyOf(object, name));
    const isEvent = type === undefined || textsOf(type, files)?.every((text) => text === 'Normal' || text === 'Warning');
    if (reason !== undefined && message !== undefined && event === undefined && isEvent)
      for (const each of textsOf(reason, files) ?? [])
        described.push({ reason: each, messages: textsOf(message, files), types: type && textsOf(type, files) });
    for (const each of (event && textsOf(event, files)) ?? []) described.push({ reason: each });
  }
  for (const type of nodesOf(file, (node) => ts.isTypeLiteralNode(node) || ts.isInterfaceDeclaration(node))) {
    const [reason, message] = ['reason', 'message'].map((name) => type.members.find((member) => member.name?.getText() === name));
    if (reason === undefined || message === undefined) continue;
    for (const { text } of nodesOf(reason.type, ts.isStringLiteral)) described.push({ reason: text });
  }
  return described;
}
