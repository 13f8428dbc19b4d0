import recorded from './recorded-answers.json';
import { componentRef, type Members } from './schema';

/** Where the service ran whose answers were recorded. */
export const RECORDED_AT = 'https://probe.example.com';

const answers: Readonly<Record<string, unknown>> = recorded;

/** `components.examples`: what a running service answered (`npm run examples`), as if it had run here. */
export function recordedExamples(baseUrl: string): Readonly<Record<string, Members>> {
  const text = JSON.stringify(answers).replaceAll(RECORDED_AT, baseUrl);
  const here = JSON.parse(text) as typeof answers;
  return Object.fromEntries(Object.entries(here).map(([name, value]) => [name, { value }]));
}

/** JSON of a named schema, with what was recorded of it. */
export function answer(name: string): Members {
  const examples = { recorded: componentRef('examples', name) };
  return { 'application/json': { schema: componentRef('schemas', name), ...(name in answers ? { examples } : {}) } };
}
