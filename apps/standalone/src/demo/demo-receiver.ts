import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { VERIFY_TYPE } from '@app/owners';
import { json, NOT_FOUND, text, type DemoAnswer, type DemoSite } from './demo-site';

/**
 * A receiver of alerts that anybody can try: it takes every message, answers the challenge of the first, and adds each to a
 * file as a line of JSON (`headers`, `body`), to be verified with the secret of its watch.
 * @param file is made when the first message comes
 */
export function demoReceiver(file: string): DemoSite {
  return {
    name: 'hooks.example.com',
    answer: ({ method, body, headers }) => {
      if (method !== 'POST') return NOT_FOUND;
      const signed = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${JSON.stringify({ headers: signed, body })}\n`);
      return answerTo(body);
    },
  };
}

function answerTo(body: string): DemoAnswer {
  try {
    const { type, data } = JSON.parse(body) as { type?: unknown; data?: { challenge?: unknown } };
    return type === VERIFY_TYPE ? json({ challenge: data?.challenge }) : text('text/plain', 'taken');
  } catch {
    return json({ error: 'that is no JSON' }, {}, 400);
  }
}
