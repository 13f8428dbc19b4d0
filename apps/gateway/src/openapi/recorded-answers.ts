import recorded from './recorded-answers.json';

/** Where the service ran whose answers were recorded, and what it was asked about. */
export const RECORDED_AT = 'https://probe.example.com';

const answers: Readonly<Record<string, unknown>> = recorded;

/** What a running service answered to an operation (`npm run examples`), as if it had run here. */
export function recordedAnswer(operationId: string, baseUrl: string): unknown {
  const answer = answers[operationId];
  return answer === undefined ? undefined : JSON.parse(JSON.stringify(answer).replaceAll(RECORDED_AT, baseUrl));
}
