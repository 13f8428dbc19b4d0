// Challenges to test the clients with, the same in every run: valid ones, and valid ones with one or two changed fields.

import { ANYWHERE, CHANGES, PARAM_CHANGES, REQUEST_CHANGES } from './changes.mjs';
import {
  PAYEE,
  SOLANA_PAYEE,
  FEE_PAYER,
  RESOURCE,
  ALPHABET,
  TOKENS,
  MINTS,
  ELSEWHERE,
  EXTRAS,
  SOLANA_EXTRAS,
  PAYMENTS,
} from './sound.mjs';

/** A small pseudorandom generator of numbers from 0 to 1 (mulberry32), so that recording the seed is enough. */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The challenges `{ status, headers, body }` generated from a seed. */
export function generatedChallenges(seed, count) {
  const draw = drawer(numbers(seed));
  return Array.from({ length: count }, () => draw.one(SHAPES)(draw));
}

/** Changes each field of each valid option or request, one at a time. Also puts the changed option before a valid one of its kind. */
export function changedChallenges() {
  const first = { some: () => true, one: ([head]) => head, below: () => 0 };
  const options = [
    ...Object.keys(EXTRAS).map((scheme) => onEvm(TOKENS[0], scheme)),
    ...MINTS.slice(0, 1).flatMap(onBoth),
  ];
  const alone = options.flatMap((option) => eachChange(option).map((other) => secondVersion([other], first)));
  const before = eachChange(options[0]).map((other) => secondVersion([other, options[0]], first));
  const inFirst = [TOKENS[0], MINTS[0]].map(namedOption);
  const old = inFirst.flatMap((option) => eachChange(option).map((other) => firstVersion([other], first)));
  return [...alone, ...before, ...old, ...changedPayments()];
}

function eachChange(option) {
  const isFirst = 'maxAmountRequired' in option;
  return Object.keys(CHANGES)
    .filter((member) => fits(member, option, isFirst))
    .flatMap((member) => CHANGES[member].map((value) => withChange(option, member, value, isFirst)));
}

function withChange(option, member, value, isFirst) {
  const result = structuredClone(option);
  put(result, member === 'amount' && isFirst ? 'maxAmountRequired' : member, dressed(value, member, option));
  return result;
}

function changedPayments() {
  return PAYMENTS.flatMap(([method, intent, stated]) => {
    const request = { amount: '20000', ...stated };
    const params = { id: ID, realm: 'shop.example.com', method, intent };
    const requests = Object.keys(REQUEST_CHANGES)
      .filter((member) => !member.includes('.') || request.methodDetails)
      .flatMap((member) => REQUEST_CHANGES[member].map((value) => withChange(request, member, value, false)));
    const others = Object.keys(PARAM_CHANGES).flatMap((member) =>
      PARAM_CHANGES[member].map((value) => ({ ...params, request: encoded(request), [member]: value })),
    );
    const changed = [request, ...requests].map((other) => ({ ...params, request: encoded(other) }));
    return [...changed, ...others].map((all) => answer({ 'www-authenticate': [line(all)] }, ''));
  });
}

/** An id of 32 bytes, as real servers create it. */
const ID = 'A'.repeat(43);

function drawer(next) {
  const below = (n) => Math.floor(next() * n);
  const one = (list) => list[below(list.length)];
  return { below, one, some: (share) => next() < share };
}

/** Weights of the shapes. Most real challenges are one option in a header. */
const SHAPES = [
  ...Array(9).fill((draw) => secondVersion([changed(draw, optionOf(draw))], draw)),
  ...Array(3).fill((draw) => secondVersion(several(draw, optionOf), draw)),
  ...Array(4).fill((draw) => firstVersion([changed(draw, named(draw))], draw)),
  (draw) => firstVersion(several(draw, named), draw),
  ...Array(4).fill(payment),
];

function several(draw, kind) {
  return Array.from({ length: 2 + draw.below(2) }, () => (draw.some(0.5) ? kind(draw) : changed(draw, kind(draw))));
}

function optionOf(draw) {
  if (draw.some(0.06)) return elsewhere(draw);
  if (draw.some(0.25)) return onSolana(draw.one(MINTS), draw);
  const token = draw.some(0.4) ? TOKENS[0] : draw.one(TOKENS);
  return onEvm(token, draw.some(0.6) ? 'exact' : draw.one(Object.keys(EXTRAS)));
}

function onEvm([network, , asset, name, version], scheme) {
  const extra = { ...(scheme === 'upto' ? {} : { name, version }), ...EXTRAS[scheme]() };
  return { scheme, network, amount: '20000', asset, payTo: PAYEE, maxTimeoutSeconds: 60, extra };
}

const onBoth = (mint) => ['exact', 'upto'].map((scheme) => solanaOption(mint, scheme));

function onSolana(mint, draw) {
  return solanaOption(mint, draw.some(0.1) ? 'upto' : 'exact');
}

function solanaOption([network, , asset], scheme) {
  const extra = SOLANA_EXTRAS[scheme];
  return { scheme, network, amount: '20000', asset, payTo: SOLANA_PAYEE, maxTimeoutSeconds: 60, extra };
}

function elsewhere(draw) {
  const [network, asset, payTo] = draw.one(ELSEWHERE);
  return { scheme: 'exact', network, amount: '20000', asset, payTo, maxTimeoutSeconds: 60, extra: {} };
}

/** An option in version 1 form. Some contain the id of the network instead of its name. */
function named(draw) {
  const token = draw.one(draw.some(0.2) ? MINTS : TOKENS);
  return { ...namedOption(token), ...(draw.some(0.08) ? { network: token[0] } : {}) };
}

function namedOption([network, name, asset, ...domain]) {
  const isSolana = network.startsWith('solana:');
  const option = isSolana
    ? { payTo: SOLANA_PAYEE, extra: { feePayer: FEE_PAYER } }
    : { payTo: PAYEE, extra: { name: domain[0], version: domain[1] } };
  const { url, ...words } = RESOURCE;
  return {
    ...{ scheme: 'exact', network: name, maxAmountRequired: '20000', resource: url, ...words },
    ...{ asset, maxTimeoutSeconds: 60, ...option },
  };
}

/** Leaves two in five unchanged. Most others get one change. */
function changed(draw, option) {
  if (draw.some(0.4)) return option;
  const isFirst = 'maxAmountRequired' in option;
  const fitting = Object.keys(CHANGES).filter((member) => fits(member, option, isFirst));
  // Fields of `extra` are listed twice, because schemes differ there.
  const members = [...fitting, ...fitting.filter((member) => member.includes('.'))];
  const result = structuredClone(option);
  for (let left = draw.some(0.8) ? 1 : 2; left > 0; left -= 1) {
    const member = draw.one(members);
    const path = member === 'amount' && isFirst ? 'maxAmountRequired' : member;
    put(result, path, dressed(draw.one(CHANGES[member]), member, option));
  }
  return result;
}

function fits(member, option, isFirst) {
  const [holder, inner] = member.split('.');
  if (inner === 'authCaptureEscrow') return option.scheme === 'auth-capture';
  if (inner) return inner in (option.extra ?? {}) || ANYWHERE.includes(member);
  return holder in option || (isFirst && ['amount', 'outputSchema'].includes(holder));
}

/** Placeholders for another form of the current value. */
function dressed(value, member, option) {
  const present = option[member];
  if (value === 'lower') return typeof present === 'string' ? present.toLowerCase() : value;
  if (value === 'upper') return typeof present === 'string' ? `0x${present.slice(2).toUpperCase()}` : value;
  if (value === 'badsum') return typeof present === 'string' ? present.replace(/b/, 'B').replace(/D4/, 'd4') : value;
  return value === 'asset' ? option.asset : value;
}

function put(target, path, value) {
  const [holder, inner] = path.split('.');
  if (!inner) target[holder] = value;
  else if (typeof target[holder] === 'object' && target[holder] !== null) target[holder][inner] = value;
}

const base64 = (value) => Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
const answer = (headers, body = '{}') => ({ status: 402, headers, body });

/** The challenge in the header. One in twelve has an unusual encoding. */
function secondVersion(accepts, draw) {
  const challenge = { x402Version: 2, error: 'Payment required', resource: RESOURCE, accepts };
  if (draw.some(0.92)) return answer({ 'payment-required': base64(challenge) });
  const url = (text) => text.replace(/\+/g, '-').replace(/\//g, '_');
  return draw.one([
    () => answer({}, JSON.stringify(challenge)),
    () => answer({ 'payment-required': base64({ ...challenge, resource: undefined }) }),
    () => answer({ 'payment-required': base64({ ...challenge, resource: RESOURCE.url }) }),
    () => answer({ 'payment-required': base64({ ...challenge, x402Version: '2' }) }),
    () => answer({ 'payment-required': base64({ ...challenge, x402Version: 1 }) }),
    () => answer({ 'payment-required': base64({ ...challenge, error: null }) }),
    () => answer({ 'payment-required': base64(challenge) }, JSON.stringify({ ...challenge, x402Version: 1 })),
    () => answer({ 'payment-required': url(base64({ ...challenge, error: '~~~???ÿÿÿ' })).replace(/=+$/, '') }),
    () => answer({ 'payment-required': base64(challenge).replace(/=+$/, '') }),
    () => answer({ 'payment-required': JSON.stringify(challenge) }),
    () => answer({ 'x-payment-required': base64(challenge) }),
  ])();
}

function firstVersion(accepts, draw) {
  const challenge = { x402Version: 1, error: 'X-PAYMENT header is required', accepts };
  if (draw.some(0.9)) return answer({}, JSON.stringify(challenge));
  return draw.one([
    () => answer({}, JSON.stringify({ ...challenge, error: undefined })),
    () => answer({}, JSON.stringify({ ...challenge, x402Version: '1' })),
    () => answer({}, JSON.stringify({ ...challenge, error: { code: 402 } })),
    () => answer({ 'payment-required': base64(challenge) }),
  ])();
}

/** One challenge of the Payment scheme, or two in one header. */
function payment(draw) {
  const count = draw.some(0.85) ? 1 : 2;
  const lines = Array.from({ length: count }, () => paymentLine(draw));
  return answer({ 'www-authenticate': draw.some(0.5) ? lines : [lines.join(', ')] }, '');
}

function paymentLine(draw) {
  const [method, intent, stated] = draw.one(PAYMENTS);
  const request = structuredClone({ amount: '20000', ...stated });
  if (draw.some(0.45)) {
    const members = Object.keys(REQUEST_CHANGES).filter((member) => !member.includes('.') || request.methodDetails);
    const member = draw.one(members);
    put(request, member, dressed(draw.one(REQUEST_CHANGES[member]), member, request));
  }
  const id = Array.from({ length: 43 }, () => ALPHABET[draw.below(63)]).join('');
  const params = { id, realm: 'shop.example.com', method, intent, request: encoded(request) };
  if (draw.some(0.3)) {
    const member = draw.one(Object.keys(PARAM_CHANGES));
    params[member] = draw.one(PARAM_CHANGES[member]);
  }
  return line(params);
}

function encoded(request) {
  return Buffer.from(JSON.stringify(request), 'utf8').toString('base64url');
}

function line(params) {
  const parts = Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : `${name}="${value}"`));
  return `Payment ${parts.join(', ')}`;
}
