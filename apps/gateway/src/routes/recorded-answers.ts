import recorded from './recorded-answers.json';
import { componentRef, type Members } from './schema';

/** The URL of the service when its answers were recorded. */
export const RECORDED_AT = 'https://probe.example.com';

const answers: Readonly<Record<string, unknown>> = recorded;

/** `components.examples`: recorded answers of a running service (`npm run examples`), with its URL replaced by ours. */
export function recordedExamples(baseUrl: string): Readonly<Record<string, Members>> {
  const text = JSON.stringify(answers).replaceAll(RECORDED_AT, baseUrl);
  const here = JSON.parse(text) as typeof answers;
  return Object.fromEntries(Object.entries(here).map(([name, value]) => [name, { value }]));
}

/** The JSON content of a named schema, with its recorded example. */
export function answer(name: string): Members {
  const examples = { recorded: componentRef('examples', name) };
  return { 'application/json': { schema: componentRef('schemas', name), ...(name in answers ? { examples } : {}) } };
}
