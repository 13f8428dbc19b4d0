import { isObject, paymentOf, type Payment } from './payment.js';

/**
 * The payments that an x402 challenge asks for, as far as they can be parsed. The body of the answer itself is not
 * consumed.
 */
export async function offeredIn(answer: Response): Promise<readonly Payment[]> {
  const header = answer.headers.get('payment-required');
  const challenge = jsonIn(header === null ? await bodyOf(answer) : decoded(header));
  const accepts = isObject(challenge) ? challenge['accepts'] : undefined;
  return (Array.isArray(accepts) ? accepts : []).slice(0, MAX_OPTIONS).flatMap((option: unknown) => {
    try {
      return [paymentOf(option)];
    } catch {
      return []; // an unreadable payment cannot be allowed
    }
  });
}

const MAX_OPTIONS = 100;

async function bodyOf(answer: Response): Promise<string> {
  try {
    return await answer.clone().text();
  } catch {
    return '';
  }
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
  } catch {
    return '';
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
