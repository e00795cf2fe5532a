import ts from 'typescript';
import { cell, nodesOf, placeOf, propertyOf } from './sources.mjs';
import { originsOf, textsOf } from './values.mjs';

const kinds = ['counter', 'gauge', 'histogram'];

/** The page of all metrics. Throws if the name or help text of one does not follow from the sources. */
export function metricsPage(packages) {
  const sections = packages.flatMap(({ name, files }) => {
    const metrics = new Map(files.flatMap((file) => [...defined(file, files), ...listed(file)]).map((metric) => [metric.name, metric]));
    if (metrics.size === 0) return [];
    const rows = [...metrics.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(row);
    return [`## ${name}\n\n| Metric | Type | Labels | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`];
  });
  return `# Metrics

This page is for operators and for everybody who writes dashboards. Packages report metrics through the \`Metrics\` port of
\`@nodeagent/api\`; [the HTTP server](../concepts/server.md) serves them at \`/metrics\`, \`/metrics/cadvisor\`, \`/metrics/probes\` and
\`/metrics/resource\`. Names without the prefix \`nodeagent_\` are those of the kubelet, cAdvisor and client-go.

${sections.join('\n')}`;
}

const row = ({ name, type, labels, help }) =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${cell(help)} |`;

/** What is asked of the port: `metrics.counter({ name, help, labels })`. */
function defined(file, files) {
  const calls = nodesOf(
    file,
    (node) => ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && kinds.includes(node.expression.name.text),
  ).filter(({ expression }) => /metrics$/i.test(expression.expression.getText()));
  return calls.flatMap((call) => {
    const [argument] = call.arguments;
    const type = call.expression.name.text;
    const definitions = ts.isObjectLiteralExpression(argument) ? [argument] : originsOf(argument, files);
    const found = definitions.filter(ts.isObjectLiteralExpression).flatMap((definition) => metricsOf(definition, type, files));
    if (found.length === 0) throw new Error(`${placeOf(call)}: the definition of the metric is not in the sources of its package`);
    return found;
  });
}

function metricsOf(definition, type, files) {
  const names = textsOf(propertyOf(definition, 'name'), files) ?? [];
  const helps = textsOf(propertyOf(definition, 'help'), files) ?? [];
  const labels = labelsOf(propertyOf(definition, 'labels'), files);
  return names.map((name, index) => {
    if (!helps[index]) throw new Error(`${placeOf(definition)}: the metric ${name} has no help text`);
    return { name, type, labels, help: helps[index] };
  });
}

function labelsOf(expression, files) {
  const [list] = expression === undefined ? [] : ts.isArrayLiteralExpression(expression) ? [expression] : originsOf(expression, files);
  const array = list !== undefined && ts.isAsExpression(list) ? list.expression : list;
  return array === undefined ? [] : array.elements.flatMap((element) => textsOf(element, files) ?? []);
}

/** Pages in Prometheus' text format have their metrics in a list of tuples. */
function listed(file) {
  const lists = nodesOf(
    file,
    (node) => ts.isVariableDeclaration(node) && /\[name: string, type: .*, help: string\]\[\]$/.test(node.type?.getText() ?? ''),
  );
  return lists.flatMap(({ initializer }) =>
    initializer.elements.map(({ elements: [name, type, help] }) => ({ name: name.text, type: type.text, labels: [], help: help.text })),
  );
}
