import fc from 'fast-check';
import { DETECTORS, HostEvidence, nextWave, runDetector, type Exchange } from '@app/detectors';
import { paymentRails } from '@app/reports';
import { evidence, exchange, type Reply } from './support/evidence';
import { partOf } from './support/generated';
import { hostileReply } from './support/hostile';

/** The same responses at other paths make another host, so each drawn set is assigned this many times. */
const DEALS = 5;

/** The total number of hosts that the detectors judge. */
const CASES = partOf(100_000);
const RUNS = Math.ceil(CASES / DETECTORS.length / DEALS);

/** The responses of one probe, in the order of the requests; further requests get them again. */
const replies = fc.array(hostileReply, { minLength: 3, maxLength: 12 });

/** A probe of three waves in which every request of any detector gets a hostile response. */
function evidenceOf(answers: readonly Reply[], rest: Reply | undefined): HostEvidence {
  const exchanges: Exchange[] = [...evidence({}, rest).exchanges.slice(1)];
  const given = { domain: 'shop.example.com', origin: 'https://shop.example.com', site: 'example.com' };
  for (const phase of ['presence', 'presence', 'callability'] as const) {
    for (const request of nextWave(DETECTORS, phase, new HostEvidence({ ...given, exchanges }))) {
      const reply = answers[exchanges.length % answers.length] ?? {};
      exchanges.push(exchange(request.method, request.url, { ...reply, phase }, request.body));
    }
  }
  return new HostEvidence({ ...given, exchanges });
}

/** The next requests of the detectors, before the budget limits them. */
function wishesIn(seen: HostEvidence): readonly string[] {
  const wishes = DETECTORS.flatMap((detector) => [
    ...('followUps' in detector ? detector.followUps(seen) : []),
    ...('exercises' in detector ? detector.exercises(seen) : []),
  ]);
  return wishes.map(({ url }) => url);
}

function isOfSite(url: string, seen: HostEvidence): boolean {
  const { protocol, hostname, username } = new URL(url, seen.origin);
  const onSite = hostname === 'example.com' || hostname.endsWith('.example.com');
  return onSite && /^https?:$/.test(protocol) && username === '';
}

describe('the detectors on hostile hosts', () => {
  it('never throw, never send requests to another site, and always return a status', () => {
    let cases = 0;
    fc.assert(
      fc.property(replies, fc.option(hostileReply, { nil: undefined }), (answers, rest) => {
        for (let deal = 0; deal < DEALS; deal += 1) {
          const seen = evidenceOf([...answers.slice(deal), ...answers.slice(0, deal)], rest);
          const cells = DETECTORS.map((detector) => runDetector(detector, seen).cell);
          cases += cells.length;
          expect(cells.filter(({ details }) => details['reason'] === 'detector_failed')).toEqual([]);
          const urls = [...seen.exchanges.map(({ url }) => url), ...(deal === 0 ? wishesIn(seen) : [])];
          expect(urls.filter((url) => !isOfSite(url, seen))).toEqual([]);
          paymentRails(seen);
        }
      }),
      { numRuns: RUNS },
    );
    expect(cases).toBeGreaterThanOrEqual(CASES);
  }, 900_000);
});
